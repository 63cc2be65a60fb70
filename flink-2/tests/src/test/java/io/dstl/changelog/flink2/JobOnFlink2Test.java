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
package io.dstl.changelog.flink2;

import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.cluster.PlannedFailure;
import io.dstl.changelog.cluster.SteppedNumbers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.state.changelog.DeactivatedChangelogStateBackend;
import org.apache.flink.state.forst.ForStStateBackend;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs on a Flink 2 in this JVM with the changelog on. Each counts the records of each key, fails
 * once, is restored from a materialization and a log, and is to have counted each record once.
 */
class JobOnFlink2Test {

    private static final int KEYS = 50;
    private static final String TIMER = "timer of ";

    @TempDir Path directory;

    private PlannedFailure failure;

    @BeforeEach
    void planFailure() {
        failure = PlannedFailure.of(directory.resolve("checkpoints"));
    }

    @AfterEach
    void forgetFailure() throws Exception {
        failure.close();
    }

    @Test
    void countsOnRocksDb() throws Exception {
        checkCounts("rocksdb", counted(numbers("rocksdb").process(new Count(false))));
    }

    @Test
    void countsOnTheHeap() throws Exception {
        checkCounts("hashmap", counted(numbers("hashmap").process(new Count(false))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void countsInStateWithTtl(String backend) throws Exception {
        checkCounts(backend, counted(numbers(backend).process(new Count(true))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void countsInStateOfTheSecondKind(String backend) throws Exception {
        Map<Boolean, List<String>> byTimers =
                counted(numbers(backend).enableAsyncState().process(new Count2())).stream()
                        .collect(partitioningBy(line -> line.startsWith(TIMER)));

        checkCounts(backend, byTimers.get(false));
        int ofEachKey = byTimers.get(false).size() / KEYS;
        assertThat(byTimers.get(true))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, KEYS)
                                .mapToObj(key -> TIMER + key + ":" + ofEachKey)
                                .collect(toList()));
    }

    @Test
    void refusesForStAndSaysWhatToDo() throws Exception {
        KeyedStream<Long, Long> numbers = numbers("forst");

        assertThatThrownBy(() -> counted(numbers.process(new Count(false))))
                .hasStackTraceContaining("state.backend.type: ForSt")
                .hasStackTraceContaining("Use rocksdb or hashmap, or disable the changelog");
    }

    /** The changelog is off, and the checkpoint was taken with it. */
    @Test
    void refusesToLeaveTheChangelogForForSt() {
        DeactivatedChangelogStateBackend leaving =
                new DeactivatedChangelogStateBackend(new ForStStateBackend());

        assertThatThrownBy(() -> leaving.createKeyedStateBackend(null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("state.backend.type: ForSt")
                .hasMessageContaining("Restore it with rocksdb or hashmap");
        assertThatThrownBy(() -> leaving.createAsyncKeyedStateBackend(null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Restore it with rocksdb or hashmap");
    }

    private KeyedStream<Long, Long> numbers(String backend) {
        Configuration config = new Configuration();
        config.set(StateBackendOptions.STATE_BACKEND, backend);
        config.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        config.set(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE, "filesystem");
        config.setString("dstl.dfs.base-path", log().toUri().toString());
        // So that what is restored has both a materialized part and a log.
        config.set(StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL, Duration.ofMillis(150));
        config.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS,
                backend.equals("forst") ? 0 : 1);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
        // On a slow machine a task may be asked before it runs, or answer late.
        config.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 10);
        config.setString("pekko.ask.timeout", "10 min");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(2, config);
        env.enableCheckpointing(100);
        return env.addSource(new SteppedNumbers(failure.name(), 4 * KEYS), Types.LONG)
                .keyBy(number -> number % KEYS, Types.LONG);
    }

    private Path log() {
        return directory.resolve("log");
    }

    private static List<String> counted(DataStream<String> counts) throws Exception {
        List<String> counted = new ArrayList<>();
        try (CloseableIterator<String> results = counts.executeAndCollect()) {
            results.forEachRemaining(counted::add);
        }
        return counted;
    }

    private static void checkCounts(String backend, List<String> counted) {
        int ofEachKey = counted.size() / KEYS;
        assertThat(ofEachKey).as("records of a key").isPositive();
        assertThat(counted)
                .as(backend)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, KEYS)
                                .boxed()
                                .flatMap(
                                        key ->
                                                IntStream.rangeClosed(1, ofEachKey)
                                                        .mapToObj(count -> key + ":" + count))
                                .collect(toList()));
    }

    /** In a value and, to be compared, in an object in a map. */
    private static final class Count extends KeyedProcessFunction<Long, Long, String> {
        private transient org.apache.flink.api.common.state.ValueState<Long> count;
        private transient org.apache.flink.api.common.state.MapState<String, Totals> totals;
        private final boolean hasTtl;

        Count(boolean hasTtl) {
            this.hasTtl = hasTtl;
        }

        @Override
        public void open(OpenContext context) {
            org.apache.flink.api.common.state.MapStateDescriptor<String, Totals> descriptor =
                    new org.apache.flink.api.common.state.MapStateDescriptor<>(
                            "totals", String.class, Totals.class);
            org.apache.flink.api.common.state.ValueStateDescriptor<Long> ofCount =
                    new org.apache.flink.api.common.state.ValueStateDescriptor<>(
                            "count", Types.LONG);
            if (hasTtl) {
                StateTtlConfig month = StateTtlConfig.newBuilder(Duration.ofDays(30)).build();
                descriptor.enableTimeToLive(month);
                ofCount.enableTimeToLive(month);
            }
            totals = getRuntimeContext().getMapState(descriptor);
            count = getRuntimeContext().getState(ofCount);
        }

        @Override
        public void processElement(Long number, Context context, Collector<String> out)
                throws Exception {
            Long before = count.value();
            long now = before == null ? 1 : before + 1;
            count.update(now);
            Totals sum = totals.contains("records") ? totals.get("records") : new Totals();
            sum.records++;
            if (sum.records != now) {
                throw new IllegalStateException(sum.records + " in the map, " + now + " counted");
            }
            totals.put("records", sum);
            out.collect(context.getCurrentKey() + ":" + now);
        }
    }

    /** A type that has a serializer of Flink's own making. */
    public static final class Totals {
        public long records;
    }

    /** In a value and, for the next one to compare, in a map. A timer tells the last count. */
    private static final class Count2 extends KeyedProcessFunction<Long, Long, String> {
        private static final long AT_THE_END = Long.MAX_VALUE - 1;

        private transient org.apache.flink.api.common.state.v2.ValueState<Long> count;
        private transient org.apache.flink.api.common.state.v2.MapState<Long, Long> counts;

        @Override
        public void open(OpenContext context) {
            count =
                    getRuntimeContext()
                            .getState(
                                    new org.apache.flink.api.common.state.v2.ValueStateDescriptor<>(
                                            "count", Types.LONG));
            counts =
                    getRuntimeContext()
                            .getMapState(
                                    new org.apache.flink.api.common.state.v2.MapStateDescriptor<>(
                                            "counts", Types.LONG, Types.LONG));
        }

        @Override
        public void processElement(Long number, Context context, Collector<String> out) {
            Long key = context.getCurrentKey();
            if (number < KEYS) {
                // The first of its key: after the failure the timer is a restored one.
                context.timerService().registerEventTimeTimer(AT_THE_END);
            }
            count.asyncValue()
                    .thenCombine(
                            counts.asyncGet(key),
                            (value, inMap) -> {
                                long now = value == null ? 1 : value + 1;
                                if (inMap != null && inMap != now - 1) {
                                    throw new IllegalStateException(inMap + " and " + value);
                                }
                                return now;
                            })
                    .thenAccept(
                            now -> {
                                count.asyncUpdate(now);
                                counts.asyncPut(key, now);
                                out.collect(key + ":" + now);
                            });
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out) {
            Long key = context.getCurrentKey();
            count.asyncValue().thenAccept(last -> out.collect(TIMER + key + ":" + last));
        }
    }
}
