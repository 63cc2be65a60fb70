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
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.testkit.Matrix.MatrixRows;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
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
        Path output = directory.resolve("output");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx" + heap,
                                "-cp",
                                System.getProperty("java.class.path"),
                                ManyKeysReplay.class.getName(),
                                Files.createDirectory(directory.resolve("delegate")).toString(),
                                Integer.toString(keys))
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
        private static final long NAMESPACE = 10;
        private static final int STEP = 9973;

        private ManyKeysReplay() {}

        /**
         * @param arguments an empty directory, and the number of keys
         */
        public static void main(String[] arguments) throws Exception {
            int keys = Integer.parseInt(arguments[1]);
            BulkSettings settings = BulkSettings.of(2, 64 << 20);
            try (ReplayFixture fixture = ReplayFixture.inBulk(Path.of(arguments[0]), settings)) {
                List<StateChange> described =
                        read(fixture, new HandWrittenLog().state(0, "v", Type.VALUE, LONGS, LONGS));
                LogSource source = (log, keyGroups) -> changes(described, keys);
                fixture.replayFrom(
                                new ReadAhead(
                                        source,
                                        fixture.cancellation,
                                        new RestoreProgress(fixture.clock)))
                        .replay(Collections.singletonList(verified(new HandWrittenLog())));

                System.out.println(
                        fixture.bulk.tally().survivors()
                                + " keys in "
                                + fixture.bulk.tally().tables()
                                + " parts");
                for (int key = 0; key < keys; key += STEP) {
                    expect(fixture, key, (long) key);
                }
                expect(fixture, keys, null);
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
}
