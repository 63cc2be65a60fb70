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
package io.dstl.bench.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.job.JobArguments.WorkloadKind;
import org.junit.jupiter.api.Test;

class AsyncWorkTest {
    private static final Updates UPDATES = new Updates(4, 0);

    @Test
    void aReplacedValueComesToWhatTheModelSays() {
        assertThat(sum(WorkloadKind.VALUE)).isEqualTo(expected(WorkloadKind.VALUE));
    }

    @Test
    void aChainOfUpdatesComesToWhatTheModelSays() {
        assertThat(sum(WorkloadKind.RMW)).isEqualTo(expected(WorkloadKind.RMW));
    }

    @Test
    void onlyKindsOfOneValueAreAsynchronous() {
        assertThat(arguments(WorkloadKind.VALUE).preferAsync().async()).isTrue();
        assertThat(arguments(WorkloadKind.LIST).preferAsync().async()).isFalse();
    }

    @Test
    void theJobIsToldOfIt() {
        JobArguments async = arguments(WorkloadKind.RMW).preferAsync();
        JobArguments parsed = JobArguments.parse(async.commandLine().toArray(new String[0]));
        assertThat(parsed.async()).isTrue();
    }

    private static long sum(WorkloadKind kind) {
        AsyncWork work = new AsyncWork(arguments(kind));
        byte[][] state = new byte[(int) work.keys()][];
        for (int split = 0; split < Updates.SPLITS; split++) {
            for (long i = 0; i < 100; i++) {
                long update = Updates.number(split, i);
                int key = (int) UPDATES.key(update);
                state[key] = work.next(work.reads() ? state[key] : null, update);
            }
        }
        long sum = 0;
        for (int key = 0; key < state.length; key++) {
            sum += work.digest(key, state[key]);
        }
        return sum;
    }

    private static long expected(WorkloadKind kind) {
        return StateModel.totals(arguments(kind), new long[] {100, 100})[0];
    }

    private static JobArguments arguments(WorkloadKind kind) {
        return new JobArguments(kind, UPDATES, 0, 100, "r");
    }
}
