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
package io.dstl.changelog.serializer;

import static io.dstl.changelog.testing.KryoName.keys;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.serializer.TaskAttempts.Changelog;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.changelog.testing.KryoName;
import java.nio.file.Path;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The job registers another class with Kryo, ahead of that of its keys: then Flink reconfigures the
 * key serializer as the delegate is restored, and only that one reads the keys of the log.
 */
class KeySerializerReconfiguredTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({"OFF,ROCKSDB,true", "ON,HEAP,true", "ON,ROCKSDB,false", "ON,ROCKSDB,true"})
    void keysOfALogBeforeIt(Changelog changelog, Delegate delegate, boolean ahead)
            throws Exception {
        try (TaskAttempts<Object> task = new TaskAttempts<>(delegate, directory, changelog)) {
            AbstractKeyedStateBackend<Object> v1 = task.start(keys(KryoName.class));
            put(v1, 0, 50, 1L);
            task.materialize();
            task.checkpoint();
            put(v1, 25, 75, 2L);
            task.checkpoint();
            task.kill();

            AbstractKeyedStateBackend<Object> v2 =
                    task.start(
                            ahead
                                    ? keys(Added.class, KryoName.class)
                                    : keys(KryoName.class, Added.class));
            assertRead(v2, 0);
        }
    }

    /** As from a savepoint; then the new version fails over. */
    @ParameterizedTest
    @CsvSource({"OFF,ROCKSDB", "ON,HEAP", "ON,ROCKSDB"})
    void keysOfALogSinceItWasRestoredWithoutOne(Changelog changelog, Delegate delegate)
            throws Exception {
        try (TaskAttempts<Object> task = new TaskAttempts<>(delegate, directory, changelog)) {
            put(task.start(keys(KryoName.class)), 0, 50, 1L);
            task.materialize();
            task.checkpoint();
            task.kill();

            AbstractKeyedStateBackend<Object> v2 = task.start(keys(Added.class, KryoName.class));
            put(v2, 25, 75, 2L);
            task.checkpoint();
            task.kill();

            AbstractKeyedStateBackend<Object> again = task.start(keys(Added.class, KryoName.class));
            assertRead(again, 0);
        }
    }

    /** Serializers of Kryo are equal whatever the order in which classes were registered. */
    @Test
    void keysOfALogOnly() throws Exception {
        try (TaskAttempts<Object> task =
                new TaskAttempts<>(Delegate.ROCKSDB, directory, Changelog.ON)) {
            AbstractKeyedStateBackend<Object> v1 = task.start(keys(Added.class));
            put(v1, 0, 1, 1L);
            value(v1).clear();
            task.materialize();
            task.checkpoint();
            put(v1, 25, 75, 2L);
            task.checkpoint();
            task.kill();

            AbstractKeyedStateBackend<Object> v2 = task.start(keys(KryoName.class, Added.class));
            assertRead(v2, 25);
        }
    }

    private static void put(AbstractKeyedStateBackend<Object> backend, int from, int to, long v)
            throws Exception {
        ValueState<Long> state = value(backend);
        for (int i = from; i < to; i++) {
            backend.setCurrentKey(new KryoName("k" + i));
            state.update(v);
        }
    }

    private static void assertRead(AbstractKeyedStateBackend<Object> backend, int from)
            throws Exception {
        for (int i = from; i < 75; i++) {
            backend.setCurrentKey(new KryoName("k" + i));
            assertThat(value(backend).value()).as("key %s", i).isEqualTo(i < 25 ? 1L : 2L);
        }
    }

    private static ValueState<Long> value(AbstractKeyedStateBackend<Object> backend)
            throws Exception {
        return KeyedTask.state(backend, new ValueStateDescriptor<>("value", LONGS));
    }

    public static final class Added {
        public int a;
        public int b;
    }
}
