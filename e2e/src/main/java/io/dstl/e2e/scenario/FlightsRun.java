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

import io.dstl.e2e.flights.FlightsJob;
import io.dstl.e2e.flights.ResultCheck;
import io.dstl.e2e.flights.ResultCheck.Comparison;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.rest.JobSubmission;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import io.dstl.harness.rest.JobSubmission.JarId;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * One whole passage of the input through the job on one cluster, over however many restarts: where
 * its rows go, how it is submitted, whether the rows are right in the end.
 */
final class FlightsRun {
    private final RunPlan plan;
    private final LocalCluster cluster;
    private final Path output;
    private final JarId jar;

    FlightsRun(RunPlan plan, LocalCluster cluster, Path output)
            throws IOException, InterruptedException {
        this.plan = plan;
        this.cluster = cluster;
        this.output = output;
        this.jar = cluster.rest().upload(plan.jobJar());
    }

    /** Submits the job with no state, at that many flights per second. */
    JobId submit(FlightRate rate) throws IOException, InterruptedException {
        return cluster.rest().run(jar, submission(rate));
    }

    /** Submits the job with no state, at the plan's pace. */
    JobId submit() throws IOException, InterruptedException {
        return submit(plan.rate());
    }

    /** Submits the job with the state of that checkpoint, at the plan's pace. */
    JobId resume(String checkpoint, int parallelism, ClaimMode mode)
            throws IOException, InterruptedException {
        return resume(checkpoint, parallelism, mode, plan.rate());
    }

    JobId resume(String checkpoint, int parallelism, ClaimMode mode, FlightRate rate)
            throws IOException, InterruptedException {
        return cluster.rest().run(jar, submission(rate).from(checkpoint, parallelism, mode));
    }

    private JobSubmission submission(FlightRate rate) {
        return JobSubmission.fresh(
                FlightsJob.class.getName(),
                List.of(
                        "--input", plan.input().toUri().toString(),
                        "--output", output.toUri().toString(),
                        "--scale", Integer.toString(plan.scale()),
                        "--rate", rate.toString()),
                plan.parallelism());
    }

    /** Holds the rows written against those computed without Flink. */
    Comparison compare() throws IOException {
        return ResultCheck.compare(plan.input(), plan.scale(), output);
    }
}
