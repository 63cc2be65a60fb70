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

import io.dstl.harness.progress.Progress;
import io.dstl.harness.wait.Await;
import java.time.Clock;

/** What every passage of a run shares. Immutable. */
final class Stage {
    private final RunPlan plan;
    private final FlightsCluster clusters;
    private final FlightCount total;
    private final Cleanup cleanup;
    private final Await await;
    private final Progress progress;
    private final Clock clock;

    Stage(RunPlan plan, FlightsCluster clusters, FlightCount total, Cleanup cleanup, Tools tools) {
        this.plan = plan;
        this.clusters = clusters;
        this.total = total;
        this.cleanup = cleanup;
        this.await = tools.await();
        this.progress = tools.progress();
        this.clock = tools.clock();
    }

    RunPlan plan() {
        return plan;
    }

    FlightsCluster clusters() {
        return clusters;
    }

    /** All flights of the input, over all its repetitions. */
    FlightCount total() {
        return total;
    }

    Cleanup cleanup() {
        return cleanup;
    }

    Await await() {
        return await;
    }

    Progress progress() {
        return progress;
    }

    Clock clock() {
        return clock;
    }
}
