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
package io.dstl.changelog.bulk;

import static io.dstl.changelog.testing.Serializers.INTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads beside the task's, over a delegate that a test holds up. */
class BulkReplayThreadsTest {
    private static final KeyGroupRange KEY_GROUPS = KeyGroupRange.of(0, 15);

    private final CloseableRegistry cancellation = new CloseableRegistry();
    private final CountDownLatch writing = new CountDownLatch(1);
    private final CountDownLatch written = new CountDownLatch(1);
    private final AtomicInteger writers = new AtomicInteger();

    /** That each write fails with; set before there is a thread. */
    private Error error;

    /** The one write that is under way is waited for when the replay is closed. */
    @Test
    void aCancelledTaskDoesNotWaitForAPartitionThatIsBehind() throws Exception {
        try (BulkReplay bulk = replay(2)) {
            BulkState state = bulk.open(new HeldUpState()).orElseThrow();
            bulk.add(state, ChangeOp.SET, 0, record(1));
            Thread canceller =
                    new Thread(
                            () -> {
                                try {
                                    writing.await();
                                    cancellation.close();
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            canceller.start();

            assertThatThrownBy(bulk::write).isInstanceOf(CancelTaskException.class);

            canceller.join();
            written.countDown();
        }
        assertThat(writers).as("writers left open").hasValue(0);
    }

    @Test
    void anInterruptedTaskStopsAndStaysInterrupted() throws Exception {
        written.countDown();
        try (BulkReplay bulk = replay(2)) {
            BulkState state = bulk.open(new HeldUpState()).orElseThrow();
            bulk.add(state, ChangeOp.SET, 0, record(1));
            Thread.currentThread().interrupt();

            assertThatThrownBy(bulk::write).isInstanceOf(CancelTaskException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).as("interrupted still, once closed").isTrue();
        }
        assertThat(writers).as("writers left open").hasValue(0);
    }

    @Test
    void dropsWhatWasNotWrittenWhenClosed() throws Exception {
        BulkReplay bulk = replay(3);
        BulkState state = bulk.open(new HeldUpState()).orElseThrow();
        for (int keyGroup = 0; keyGroup < 16; keyGroup++) {
            bulk.add(state, ChangeOp.SET, keyGroup, record(1));
        }
        bulk.close();

        assertThat(writing.getCount()).as("writes that have not begun").isOne();
        assertThat(writers).as("writers left open").hasValue(0);
    }

    /** A JVM out of memory, or of a wrong class path, is no fault of the log. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void anErrorReachesTheTaskAsItIs(int threads) throws Exception {
        error = new OutOfMemoryError("Java heap space");
        written.countDown();
        try (BulkReplay bulk = replay(threads)) {
            BulkState state = bulk.open(new HeldUpState()).orElseThrow();
            bulk.add(state, ChangeOp.SET, 0, record(1));

            assertThatThrownBy(bulk::write).isSameAs(error);
        }
        assertThat(writers).as("writers left open").hasValue(0);
    }

    /** Each is larger than a table, and than what may be handed over. */
    @Test
    void holdsFewLargeRecords() throws Exception {
        int threads = 8;
        AtomicInteger given = new AtomicInteger();
        try (BulkReplay bulk = replay(threads)) {
            BulkState state = bulk.open(new HeldUpState()).orElseThrow();
            Thread task = new Thread(() -> addLargeRecords(bulk, state, given));
            task.start();
            while (task.getState() != Thread.State.TIMED_WAITING && task.isAlive()) {
                Thread.onSpinWait();
            }
            int held = given.get();
            task.interrupt();
            task.join();
            written.countDown();

            assertThat(held).isBetween(1, threads);
        }
    }

    private static void addLargeRecords(BulkReplay bulk, BulkState state, AtomicInteger given) {
        try {
            for (int i = 0; i < 100; i++) {
                byte[] record = Arrays.copyOf(record(i), 4 << 20);
                bulk.add(state, ChangeOp.SET, i % 16, record);
                given.incrementAndGet();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (CancelTaskException e) {
            // It has seen enough.
        }
    }

    /** One that never has a change leaves the memory to others, which restore at the same time. */
    @Test
    void takesMemoryWithTheFirstChange() throws Exception {
        written.countDown();
        try (BulkReplay replay = replay(2)) {
            BulkState state = replay.open(new HeldUpState()).orElseThrow();
            replay.sort();
            replay.write();
            assertThat(replay.memory()).isZero();
            replay.add(state, ChangeOp.SET, 0, record(1));
            assertThat(replay.memory()).isPositive();
            replay.close();
            assertThat(replay.memory()).isZero();
        }
    }

    @Test
    void hasFewerThreadsWhereThereIsLittleMemory() {
        assertThat(BulkReplay.partitionsWithin(0, 8)).isOne();
        assertThat(BulkReplay.partitionsWithin(16 << 20, 8)).isBetween(2, 4);
        assertThat(BulkReplay.partitionsWithin(1 << 30, 8)).isEqualTo(8);
    }

    private BulkReplay replay(int threads) {
        return new BulkReplay(
                BulkSettings.of(threads, 1 << 20), KEY_GROUPS, cancellation, new ManualClock());
    }

    private static byte[] record(int key) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        out.writeByte(ChangeOp.SET.code());
        out.writeShort(0);
        out.writeInt(key);
        out.writeByte(0);
        out.writeLong(5);
        return out.getCopyOfBuffer();
    }

    /** A state of a delegate that takes a write, and returns from it when the test says so. */
    private final class HeldUpState implements RawState {
        @Override
        public Form form() {
            return Form.VALUE;
        }

        @Override
        public int keyGroupBytes() {
            return 1;
        }

        @Override
        public int numberOfKeyGroups() {
            return KEY_GROUPS.getNumberOfKeyGroups();
        }

        @Override
        public TypeSerializer<?> keySerializer() {
            return INTS;
        }

        @Override
        public TypeSerializer<?> namespaceSerializer() {
            return VoidNamespaceSerializer.INSTANCE;
        }

        @Override
        public TypeSerializer<?> valueSerializer() {
            throw new UnsupportedOperationException("of no list and no map");
        }

        @Override
        public boolean hasLengths() {
            return false;
        }

        @Override
        public RawState.RawWriter newWriter(Cancellation ofReplay) {
            writers.incrementAndGet();
            return new HeldUpWriter();
        }
    }

    private final class HeldUpWriter implements RawState.RawWriter {
        @Override
        public void put(RawState state, Bytes key, Bytes value) throws IOException {
            writing.countDown();
            try {
                written.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (error != null) {
                throw error;
            }
        }

        @Override
        public void merge(RawState state, Bytes key, Bytes value) {}

        @Override
        public void delete(RawState state, Bytes key) {}

        @Override
        public void deleteBelow(RawState state, Bytes key) {}

        @Override
        public void flush() {}

        @Override
        public void close() {
            writers.decrementAndGet();
        }
    }

    private final PartitionThread.HandedOver handedOver = new PartitionThread.HandedOver(1000);

    @Test
    void hasRoomForItsLimit() throws Exception {
        assertThat(handedOver.enter(600, 0)).isTrue();
        assertThat(handedOver.enter(400, 0)).isTrue();
        assertThat(handedOver.enter(1, 0)).isFalse();
        handedOver.leave(400);
        assertThat(handedOver.enter(401, 0)).isFalse();
        assertThat(handedOver.enter(400, 0)).isTrue();
    }

    @Test
    void takesWhatIsLargerAlone() throws Exception {
        assertThat(handedOver.enter(1, 0)).isTrue();
        assertThat(handedOver.enter(5L << 30, 0)).isFalse();
        handedOver.leave(1);
        assertThat(handedOver.enter(5L << 30, 0)).isTrue();
        assertThat(handedOver.enter(1, 0)).isFalse();
        handedOver.leave(5L << 30);
        assertThat(handedOver.enter(1000, 0)).isTrue();
    }

    @Test
    void tellsAFailure() {
        assertThatCode(handedOver::check).doesNotThrowAnyException();
        handedOver.fail("task replay 2", new IllegalStateException("broken"));
        assertThatThrownBy(handedOver::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("task replay 2")
                .hasMessageContaining("broken");
    }

    @Test
    void givesHalfOfWhatThereIsAndTheLeastAlways() {
        BulkSettings.HeapShare share = new BulkSettings.HeapShare(200, () -> 1000);

        assertThat(share.take(60, 10)).isEqualTo(60);
        assertThat(share.take(100, 10)).isEqualTo(70);
        assertThat(share.take(60, 10)).isEqualTo(35);
        assertThat(share.take(60, 30)).isEqualTo(30);
        assertThat(share.take(5, 30)).isEqualTo(5);

        share.giveBack(60);
        assertThat(share.take(60, 10)).isEqualTo(30);
    }

    /** As the tasks of a TaskManager do. */
    @Test
    void givesEqualPartsToThoseThatAreAdmittedTogether() throws Exception {
        BulkSettings.HeapShare share = new BulkSettings.HeapShare(200, () -> 1000);
        List<AutoCloseable> admitted = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            admitted.add(share.admit(1).orElseThrow());
        }
        assertThat(share.take(100, 1)).isEqualTo(50);
        assertThat(share.take(20, 1)).isEqualTo(20);
        assertThat(share.take(100, 1)).isEqualTo(65);
        assertThat(share.take(100, 1)).as("but for a quarter of the rest").isEqualTo(49);

        share.giveBack(0);
        share.giveBack(49);
        admitted.get(3).close();
        admitted.add(share.admit(1).orElseThrow());
        assertThat(share.take(100, 1)).isEqualTo(49);
    }

    @Test
    void leavesHalfOfWhatIsIdle() {
        BulkSettings.HeapShare share = new BulkSettings.HeapShare(200, () -> 70);

        assertThat(share.take(60, 10)).isEqualTo(35);
        assertThat(share.take(60, 40)).isEqualTo(40);
    }

    @Test
    void admitsRestoresWhoseLeastsTakeAsMuchAgainTogether() throws Exception {
        BulkSettings.HeapShare share = new BulkSettings.HeapShare(20, () -> 1000);
        List<AutoCloseable> admitted = new ArrayList<>();
        long taken = 0;
        for (int i = 0; i < 100; i++) {
            Optional<AutoCloseable> restore = share.admit(4);
            if (restore.isPresent()) {
                admitted.add(restore.get());
                taken += share.take(64, 4);
            }
        }
        assertThat(admitted).hasSize(5);
        assertThat(taken).isLessThanOrEqualTo(2 * 20);

        admitted.get(0).close();
        assertThat(share.admit(4)).isPresent();
        assertThat(share.admit(4)).isEmpty();
    }

    @Test
    void admitsOneRestoreHoweverLittleThereIs() {
        BulkSettings.HeapShare share = new BulkSettings.HeapShare(1, () -> 1000);

        assertThat(share.admit(4)).isPresent();
        assertThat(share.admit(4)).isEmpty();
    }
}
