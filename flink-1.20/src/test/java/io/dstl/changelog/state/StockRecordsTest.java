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
package io.dstl.changelog.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.StockRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ours writes, byte for byte, what Flink 1.20.5's own backend wrote for the same calls. */
class StockRecordsTest {

    @ParameterizedTest
    @EnumSource(Delegate.class)
    void writesWhatStockWrote(Delegate kind, @TempDir Path directory) throws Exception {
        try (LoggedBackend<Integer> backend =
                new LoggedBackend<>(kind, directory, IntSerializer.INSTANCE)) {
            Transcript transcript = new Transcript(backend);
            new GoldenScenario(transcript).run();
            assertThat(transcript.lines()).isEqualTo(StockRecords.lines());
        }
    }

    /** Writes down marks and records in the form of {@link StockRecords}. */
    private static final class Transcript implements ScenarioTarget {
        private final LoggedBackend<Integer> backend;
        private final List<String> lines = new ArrayList<>();

        Transcript(LoggedBackend<Integer> backend) {
            this.backend = backend;
        }

        List<String> lines() {
            backend.log.take().stream().map(RecordedChange::toHexLine).forEach(lines::add);
            return lines;
        }

        @Override
        public void mark(String step) {
            lines().add("# " + step);
        }

        @Override
        public void setCurrentKey(int key) {
            backend.setCurrentKey(key);
        }

        @Override
        public <N, S extends State, T, IS extends S> IS state(
                TypeSerializer<N> namespaceSerializer, StateDescriptor<S, T> descriptor)
                throws Exception {
            return backend.state(namespaceSerializer, descriptor);
        }

        @Override
        public <N> KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, N>> queue(
                String name, TypeSerializer<TimerHeapInternalTimer<Integer, N>> serializer) {
            return backend.queue(name, serializer);
        }
    }
}
