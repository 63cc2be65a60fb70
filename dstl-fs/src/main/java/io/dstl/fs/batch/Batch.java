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
package io.dstl.fs.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/** Change sets of one epoch that wait to share a segment. Guarded by its batcher's lock. */
final class Batch {

    private final Epoch epoch;
    private final List<Submission> submissions = new ArrayList<>();
    private long bytes;
    private Future<?> timer;

    Batch(Epoch epoch) {
        this.epoch = epoch;
    }

    Epoch epoch() {
        return epoch;
    }

    void add(Submission submission) {
        submissions.add(submission);
        bytes += submission.bytes();
    }

    void flushBy(Future<?> newTimer) {
        this.timer = newTimer;
    }

    int size() {
        return submissions.size();
    }

    /** In a segment at most, uncompressed. */
    long bytes() {
        return bytes;
    }

    /** Takes out what nobody wants any more. */
    List<Submission> takeUnwanted() {
        List<Submission> unwanted = Submission.takeUnwanted(submissions);
        unwanted.forEach(each -> bytes -= each.bytes());
        return unwanted;
    }

    /** Ends the waiting. */
    List<Submission> close() {
        if (timer != null) {
            timer.cancel(false);
        }
        return submissions;
    }
}
