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

import io.dstl.bench.job.ValueJob;
import java.util.List;
import java.util.Locale;

/** How much the job does. */
final class Workload {
    static final int PARALLELISM = 2;
    private static final int VALUE_BYTES = 200;

    private final long keys;
    private final int rate;

    /**
     * @param keys that have a value
     * @param rate updates per second, over all subtasks
     */
    Workload(long keys, int rate) {
        if (keys < 1 || rate < 1) {
            throw new IllegalArgumentException(
                    "--keys is " + keys + " and --rate is " + rate + ": give 1 or more of each");
        }
        this.keys = keys;
        this.rate = rate;
    }

    String name() {
        return "value";
    }

    String mainClass() {
        return ValueJob.class.getName();
    }

    List<String> arguments() {
        return List.of(Long.toString(keys), Integer.toString(rate), Integer.toString(VALUE_BYTES));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "ValueState, %d B values, %,d keys, %,d updates/s, parallelism %d",
                VALUE_BYTES,
                keys,
                rate,
                PARALLELISM);
    }
}
