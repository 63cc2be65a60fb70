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

import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.PlainBackend;
import io.dstl.fs.log.ChangeAppender;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The garbage that the log makes per change, in bytes allocated by the task thread. */
class LogGarbageTest {
    private static final int CHANGES = 20_000;
    private static final int KEYS = 16;
    private static final int MEASUREMENTS = 3;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Long[] keys = new Long[KEYS];

    @TempDir Path directory;

    LogGarbageTest() {
        for (int key = 0; key < KEYS; key++) {
            keys[key] = 1_000L + key;
        }
    }

    @Test
    void aChangeAllocatesNothingForTheLog() throws Exception {
        long more =
                median(
                        () ->
                                perChange(Delegate.HEAP, RocksDbChange.VALUE_LONG, true)
                                        - perChange(
                                                Delegate.HEAP, RocksDbChange.VALUE_LONG, false));
        assertThat(more).as("bytes per change").isLessThanOrEqualTo(1);
    }

    /** RocksDB's own share is less than without a log, which pays for the rest. */
    @ForEachValue
    void aChangeOfRocksDbAllocatesNoMoreThanWithoutALog(RocksDbChange change) throws Exception {
        long more =
                median(
                        () ->
                                perChange(Delegate.ROCKSDB, change, true)
                                        - perChange(Delegate.ROCKSDB, change, false));
        assertThat(more).as("bytes per change").isLessThanOrEqualTo(16);
    }

    /** Of several, as compiled code may do without some of its objects, of either side. */
    private static long median(Callable<Long> difference) throws Exception {
        long[] differences = new long[MEASUREMENTS];
        for (int i = 0; i < MEASUREMENTS; i++) {
            differences[i] = difference.call();
        }
        Arrays.sort(differences);
        return differences[MEASUREMENTS / 2];
    }

    private long perChange(Delegate kind, RocksDbChange change, boolean withLog) throws Exception {
        AbstractKeyedStateBackend<Long> delegate =
                kind.create(directory.resolve("log-" + withLog), LONGS);
        try (PlainBackend<Long> backend =
                withLog
                        ? new LoggedBackend<>(delegate, new DiscardingAppender())
                        : new PlainBackend<>(delegate)) {
            ThrowingRunnable<Exception> run = change.on(backend);
            AtomicInteger count = new AtomicInteger();
            return garbagePerRun(
                    () -> {
                        backend.setCurrentKey(keys[count.getAndIncrement() % KEYS]);
                        run.run();
                    });
        }
    }

    /** What the tests above would see of a log with a view of its own, as Flink's has. */
    @Test
    void kryoMakesItsBuffersAnewWhereTheViewChanges() throws Exception {
        DataOutputSerializer view = new DataOutputSerializer(1024);
        long oneView = perTwoWrites(view, view);
        long twoViews = perTwoWrites(view, new DataOutputSerializer(1024));
        assertThat(twoViews - oneView).as("bytes per change").isGreaterThan(1_000);
    }

    private long perTwoWrites(DataOutputSerializer first, DataOutputSerializer second)
            throws Exception {
        Flight value = new Flight("N14228", 11);
        TypeSerializer<Flight> kryo =
                new KryoSerializer<>(Flight.class, new SerializerConfigImpl());
        return garbagePerRun(
                () -> {
                    kryo.serialize(value, first);
                    first.clear();
                    kryo.serialize(value, second);
                    second.clear();
                });
    }

    private long garbagePerRun(ThrowingRunnable<Exception> change) throws Exception {
        for (int i = 0; i < CHANGES; i++) {
            change.run();
        }
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < CHANGES; i++) {
            change.run();
        }
        return (threads.getThreadAllocatedBytes(thread) - before) / CHANGES;
    }

    /** Of no type that Flink has a serializer for. */
    static final class Flight {
        private final String tail;
        private final int delay;

        Flight(String tail, int delay) {
            this.tail = tail;
            this.delay = delay;
        }

        @Override
        public String toString() {
            return tail + " " + delay;
        }
    }

    /** Takes records as our own storage does, into one view, and forgets them. */
    private static final class DiscardingAppender implements ChangeAppender {
        private final DataOutputSerializer view = new DataOutputSerializer(1024);

        @Override
        public DataOutputView beginChange(int keyGroup) {
            return view;
        }

        @Override
        public DataOutputView beginMetadata() {
            return view;
        }

        @Override
        public void endRecord() {
            view.clear();
        }

        @Override
        public void dropRecord() {
            view.clear();
        }
    }
}
