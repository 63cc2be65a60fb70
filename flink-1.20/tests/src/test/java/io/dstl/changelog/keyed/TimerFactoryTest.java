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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.option.CapturedLog;
import io.dstl.changelog.testing.Delegate;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job whose timers were in RocksDB, and are on the heap now. */
class TimerFactoryTest extends CheckpointLifeFixture {
    /** Flink restores them neither with a changelog nor without one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void timersThatACheckpointHasInRocksDbAreWarnedOf(boolean incremental) throws Exception {
        EmbeddedRocksDBStateBackend delegate = Delegate.rocksDb(directory, incremental);
        job = new TestJob(delegate, directory);
        job.start(1);
        job.put(1, KEYS, "a");
        job.subtasks().get(0).queue("empty");
        job.materialize();
        job.checkpoint(1);
        job.stop();
        delegate.setPriorityQueueStateType(PriorityQueueStateType.HEAP);

        try (CapturedLog log = new CapturedLog(LoggedKeyedStateBackend.class.getName())) {
            job.start(1);
            job.subtasks().get(0).queue("empty");

            assertThat(job.subtasks().get(0).timers()).isZero();
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("The timers in 'timers'")
                    .contains("canonical savepoint");
        }
    }
}
