/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dstl.e2e.scenario;

import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.progress.Progress;
import io.dstl.harness.rest.JobSubmission.JobId;
import io.dstl.harness.wait.Await;
import java.time.Clock;

/** What every passage of a run shares. Immutable. */
final class Stage {
    final RunPlan plan;
    final FlightsCluster clusters;

    /** All flights of the input, over all its repetitions. */
    final FlightCount total;

    final Cleanup cleanup;
    private final Instruments instruments;

    Stage(
            RunPlan plan,
            FlightsCluster clusters,
            FlightCount total,
            Cleanup cleanup,
            Instruments instruments) {
        this.plan = plan;
        this.clusters = clusters;
        this.total = total;
        this.cleanup = cleanup;
        this.instruments = instruments;
    }

    /** The same with other clusters. */
    Stage with(FlightsCluster others) {
        return new Stage(plan, others, total, cleanup, instruments);
    }

    /** Starts a cluster, which is stopped with the run, and waits until it is up. */
    LocalCluster start(ClusterPlan wanted, String label) throws Exception {
        LocalCluster cluster = cleanup.add(clusters.start(wanted));
        progress().show(label + "  the cluster starts");
        cluster.awaitUp(FlightsCluster.TASK_MANAGERS);
        return cluster;
    }

    /** See {@link JobWatch}. */
    JobWatch watch(LocalCluster cluster, JobId job, String label, FlightCount start) {
        return new JobWatch(this, cluster, job, label, start);
    }

    Await await() {
        return instruments.await();
    }

    Progress progress() {
        return instruments.progress();
    }

    Clock clock() {
        return instruments.clock();
    }
}
