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
package io.dstl.bench.run;

import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.rest.JobStatus;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The end of a job's input, asked for until the job has ended: Flink lets a job go on whose last
 * savepoint failed. For one thread.
 */
final class Drain {
    private final FlinkRest rest;
    private final JobId job;
    private final String format;
    private final Consumer<String> say;
    private Optional<String> trigger = Optional.empty();
    private String lastFailure = "";
    private String lastState = "not asked";

    /**
     * @param format of the savepoint, as Flink names it
     * @param say gets a line for each new reason why the job went on
     */
    Drain(FlinkRest rest, JobId job, String format, Consumer<String> say) {
        this.rest = rest;
        this.job = job;
        this.format = format;
        this.say = say;
    }

    /** Present when the job has ended, one way or the other. */
    Optional<JobStatus> ended() throws IOException, InterruptedException {
        JobStatus status = rest.status(job);
        lastState = status.state();
        if (status.finished() || status.failed()) {
            return Optional.of(status);
        }
        if (trigger.isEmpty()) {
            trigger = Optional.of(rest.drain(job, format));
            return Optional.empty();
        }
        Optional<String> failure = rest.savepointFailure(job, trigger.get());
        if (failure.isPresent()) {
            trigger = Optional.empty();
            note(failure.get());
        }
        return Optional.empty();
    }

    /** For whoever looks for what holds the job up: how it was when it was last looked at. */
    String seen() {
        String savepoint = trigger.isPresent() ? "a savepoint was in the making" : "no savepoint";
        return "the job was "
                + lastState
                + ", "
                + savepoint
                + (lastFailure.isEmpty() ? "" : ", one before it failed: " + lastFailure);
    }

    private void note(String failure) {
        if (!failure.equals(lastFailure)) {
            lastFailure = failure;
            say.accept("not stopped, asked again: " + failure);
        }
    }
}
