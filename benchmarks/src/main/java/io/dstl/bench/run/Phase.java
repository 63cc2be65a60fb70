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

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import java.io.IOException;
import java.util.List;

/** A part of a run: something is done to the job, or nothing, and what becomes of it is noted. */
public interface Phase {
    /** For progress and messages. */
    String title();

    /** All that it may find, in the order to show. */
    List<Quantity> quantities();

    /**
     * Runs it, bounded in time.
     *
     * @throws Unfinished when the job does not get where the figures could be taken
     * @throws IOException when a process has died or does not answer
     */
    List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException;

    /**
     * A part of a run came to no end. The report says so in its place, and the benchmark goes on.
     */
    final class Unfinished extends Exception {
        private final String cell;

        /**
         * @param cell a few words, which stand in the table where the figures would
         * @param detail all that is known of the reason
         */
        public Unfinished(String cell, String detail) {
            super(detail);
            this.cell = cell;
        }

        Unfinished(String cell, Throwable cause) {
            super(cause.getMessage(), cause);
            this.cell = cell;
        }

        String cell() {
            return cell;
        }
    }
}
