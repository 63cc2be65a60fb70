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
package io.dstl.changelog.keyed;

import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.flink2.Flink2;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.asyncprocessing.EpochManager.Epoch;
import org.apache.flink.runtime.asyncprocessing.RecordContext;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A log that is replayed while the task runs, of an operator that uses its state asynchronously.
 */
@Timeout(120)
class AsyncBackgroundReplayTest extends HeldReplay {
    private static final int KEY = 7;

    /**
     * Nothing after it waits: a record would read, and then lose, what the log has not told yet.
     */
    @Test
    void theFirstKeyWaits() throws Exception {
        writeALog();
        startInTheMiddle();
        RecordContext<Integer> context =
                new RecordContext<>(
                        "record",
                        KEY,
                        ended -> {},
                        KeyGroupRangeAssignment.assignToKeyGroup(KEY, TestJob.MAX_PARALLELISM),
                        new Epoch(1),
                        0);

        whileHeld(
                WHILE_RUNNING,
                () -> new Flink2().asyncView(subtask().backend()).switchContext(context));

        assertThat(subtask().state(new ValueStateDescriptor<>("last", STRINGS)).value())
                .isEqualTo("v3");
    }
}
