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
package io.dstl.changelog.replay;

import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.testkit.Matrix.MatrixRows;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** The heap of a TaskManager bounds no log: what does not fit is written, and the next begun. */
class ReplayMemoryTest {
    @TempDir private Path directory;

    /** The changes alone would take twice that heap. */
    @ParameterizedTest
    @MatrixRows({"128m, 2500000", "512m, 10000000"})
    void replaysMoreKeysThanTheHeapHolds(String heap, int keys) throws Exception {
        replay(heap, keys, ManyKeysReplay.AFTER_THE_BASE);
    }

    /** What does not fit before the base is there is spilled. */
    @ParameterizedTest
    @MatrixRows({"128m, 2500000", "512m, 10000000"})
    void replaysMoreKeysThanTheHeapHoldsBesideTheBase(String heap, int keys) throws Exception {
        replay(heap, keys, ManyKeysReplay.BESIDE_THE_BASE);
    }

    @ParameterizedTest
    @MatrixRows({"128m, 2500000", "512m, 10000000"})
    void replaysMoreKeysThanTheHeapHoldsBesideTheTask(String heap, int keys) throws Exception {
        replay(heap, keys, ManyKeysReplay.BESIDE_THE_TASK);
    }

    private void replay(String heap, int keys, String when) throws Exception {
        Path output = directory.resolve("output");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx" + heap,
                                "-cp",
                                System.getProperty("java.class.path"),
                                ManyKeysReplay.class.getName(),
                                Files.createDirectory(directory.resolve("delegate")).toString(),
                                Integer.toString(keys),
                                when)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        int exit;
        try {
            exit = process.waitFor();
        } finally {
            process.destroyForcibly();
        }

        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(exit).as(said).isZero();
        assertThat(said).contains(keys + " keys in ");
    }

    /**
     * Replays a log of as many keys as changes into RocksDB, and looks at some of them; for a JVM
     * of its own. Exits with 0 if all is there.
     */
    static final class ManyKeysReplay {
        static final String AFTER_THE_BASE = "after the base";
        static final String BESIDE_THE_BASE = "beside the base";
        static final String BESIDE_THE_TASK = "beside the task";

        private static final long NAMESPACE = 10;
        private static final int FILES = 2;
        private static final int STEP = 9973;

        private ManyKeysReplay() {}

        /**
         * @param arguments an empty directory, the number of keys, and when they are replayed
         */
        public static void main(String[] arguments) throws Exception {
            int keys = Integer.parseInt(arguments[1]);
            BulkSettings settings = BulkSettings.of(2, 64 << 20);
            try (ReplayFixture fixture = ReplayFixture.inBulk(Path.of(arguments[0]), settings)) {
                List<StateChange> described =
                        read(fixture, new HandWrittenLog().state(0, "v", Type.VALUE, LONGS, LONGS));
                ReadAhead source =
                        new ReadAhead(
                                (log, keyGroups) -> changes(described, keys),
                                fixture.cancellation,
                                new RestoreProgress(fixture.clock));
                if (arguments[2].equals(AFTER_THE_BASE)) {
                    replay(fixture.replayFrom(source));
                    tell(fixture.bulk.tally());
                } else {
                    boolean besideTask = arguments[2].equals(BESIDE_THE_TASK);
                    replayBeside(besideTask, fixture, source, settings, Path.of(arguments[0]));
                }

                for (int key = 0; key < keys; key += STEP) {
                    expect(fixture, key, (long) key);
                }
                expect(fixture, keys, null);
            }
        }

        private static void replay(LogReplay replay) throws IOException {
            replay.replay(List.of(verified(new HandWrittenLog())));
        }

        private static void tell(BulkReplay.Tally tally) {
            System.out.println(tally.survivors() + " keys in " + tally.tables() + " parts");
        }

        private static void replayBeside(
                boolean besideTask,
                ReplayFixture fixture,
                LogSource source,
                BulkSettings settings,
                Path directory)
                throws Exception {
            try (BulkReplay early =
                            new BulkReplay(
                                    settings.early(),
                                    DelegateKind.ALL,
                                    fixture.cancellation,
                                    fixture.clock);
                    DelegateSupport.Spill spill =
                            DelegateSupport.get()
                                    .newSpill(directory, Cancellation.of(fixture.cancellation))) {
                RestoringTask task = new RestoringTask(besideTask, spill, fixture.target);
                EarlyTarget<Integer> target =
                        new EarlyTarget<>(
                                new LoggedLayout.Keys(INTS, DelegateKind.KEY_GROUPS, true),
                                early,
                                spill,
                                task,
                                fixture.clock);
                replay(
                        new LogReplay(
                                target,
                                source,
                                ManyKeysReplay.class.getClassLoader(),
                                fixture.cancellation,
                                fixture.clock,
                                fixture.rate));
                if (task.runs != besideTask || (spill.files() < FILES) != besideTask) {
                    throw new IllegalStateException(
                            "The task runs: " + task.runs + ", files: " + spill.files());
                }
                tell(fixture.bulk.tally().plus(target.tally()));
            }
        }

        private static void expect(ReplayFixture fixture, int key, Long value) throws Exception {
            ValueState<Long> state =
                    fixture.state(new ValueStateDescriptor<>("v", LONGS), key, NAMESPACE);
            Long found = state.value();
            if (value == null ? found != null : !value.equals(found)) {
                throw new IllegalStateException(
                        "key " + key + " has " + found + ": expected " + value);
            }
        }

        private static List<StateChange> read(ReplayFixture fixture, HandWrittenLog log)
                throws Exception {
            try (CloseableIterator<StateChange> changes =
                    fixture.segments.open(
                            log(DelegateKind.ALL, segment(VERIFIED, log)), DelegateKind.ALL)) {
                return IntStream.iterate(0, i -> changes.hasNext(), i -> i + 1)
                        .mapToObj(i -> changes.next())
                        .collect(Collectors.toList());
            }
        }

        /** Made as they are asked for. */
        private static CloseableIterator<StateChange> changes(
                List<StateChange> described, int keys) {
            return CloseableIterator.adapterForIterator(
                    IntStream.range(-described.size(), keys)
                            .mapToObj(
                                    key ->
                                            key < 0
                                                    ? described.get(key + described.size())
                                                    : StateChange.ofDataChange(
                                                            keyGroup(key), record(key)))
                            .iterator());
        }

        private static byte[] record(int key) {
            return ByteBuffer.allocate(1 + Short.BYTES + Integer.BYTES + 2 * Long.BYTES)
                    .put((byte) SET)
                    .putShort((short) 0)
                    .putInt(key)
                    .putLong(NAMESPACE)
                    .putLong(key)
                    .array();
        }
    }

    /** Has the base when so many files are spilled. Runs as soon as it may, with no use of it. */
    private static final class RestoringTask implements EarlyTarget.RestoringTask<Integer> {
        private final boolean mayRun;
        private final DelegateSupport.Spill spill;
        private final DelegateTarget<Integer> base;
        private boolean runs;

        RestoringTask(boolean mayRun, DelegateSupport.Spill spill, DelegateTarget<Integer> base) {
            this.mayRun = mayRun;
            this.spill = spill;
            this.base = base;
        }

        @Override
        public boolean isBaseRestored() {
            return spill.files() >= ManyKeysReplay.FILES;
        }

        @Override
        public DelegateTarget<Integer> awaitBase() {
            return base;
        }

        @Override
        public boolean mayRunBeside() {
            return mayRun;
        }

        @Override
        public void runBeside(Map<String, StateMetadata> registered) {
            runs = true;
        }
    }
}
