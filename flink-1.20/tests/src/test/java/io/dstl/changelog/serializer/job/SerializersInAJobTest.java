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
package io.dstl.changelog.serializer.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.cluster.PlannedFailure;
import io.dstl.changelog.cluster.SteppedNumbers;
import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import io.dstl.testkit.LocalFlink;
import io.dstl.testkit.Matrix.MatrixRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** State of every type in a job that fails, on a Flink, and is restored from both its parts. */
class SerializersInAJobTest {
    /** Some rounds over all keys with each checkpoint. */
    private static final int STEP = 5 * EveryType.KEYS;

    @TempDir private Path directory;

    @ParameterizedTest
    @MatrixRows({"rocksdb", "hashmap"})
    void goOnWithWhatTheyHadWritten(String delegate) throws Exception {
        Departure.deployBefore();
        Path checkpoints = Files.createDirectories(directory.resolve("checkpoints"));
        try (PlannedFailure failure = PlannedFailure.of(checkpoints);
                MiniCluster flink =
                        LocalFlink.start(
                                PlannedFailure.cluster(directory.resolve("log")),
                                PlannedFailure.PARALLELISM)) {
            flink.executeJobBlocking(job(delegate, failure));

            assertThat(failure.restoredFrom()).isPositive();
        }
    }

    private static JobGraph job(String delegate, PlannedFailure failure) {
        StreamExecutionEnvironment env = failure.environment(delegate, Duration.ofMillis(500));
        env.addSource(new SteppedNumbers(failure.name(), STEP))
                .setParallelism(1)
                .keyBy(number -> number % EveryType.KEYS)
                .process(new EveryType())
                .sinkTo(new DiscardingSink<>());
        return env.getStreamGraph().getJobGraph();
    }

    /** Keeps state of every type, and fails if it isn't what the numbers before have left. */
    static final class EveryType extends KeyedProcessFunction<Long, Long, Long> {
        static final int KEYS = 8;

        private transient List<TypedRounds<?>> types;

        @Override
        public void open(OpenContext context) {
            types = StateTypes.all().stream().map(this::rounds).collect(Collectors.toList());
        }

        private <V> TypedRounds<V> rounds(StateType<V> type) {
            return new TypedRounds<>(type, getRuntimeContext());
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out)
                throws Exception {
            for (TypedRounds<?> type : types) {
                type.next((int) (number / KEYS));
            }
            out.collect(number);
        }
    }
}
