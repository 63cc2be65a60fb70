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
package io.dstl.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.read.UncachedSource;
import io.dstl.secret.Redaction;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.typeutils.runtime.CopyableValueSerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.local.LocalDataInputStream;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.types.LongValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyTypeSearchTest {
    private static final int SUBTASKS = 100;

    @TempDir private Path root;

    private final AtomicInteger opened = new AtomicInteger();

    @Test
    void oneBaseTellsTheType() throws IOException {
        KeyType found = search(baseOf(StringSerializer.INSTANCE));
        assertThat(found.serializer()).contains(StringSerializer.INSTANCE);
        assertThat(found.origin()).isEqualTo(KeyType.Origin.BASE);
        assertThat(opened).hasValue(1);
    }

    @Test
    void basesThatCantBeReadAreNotAllTried() throws IOException {
        assertThat(search(new byte[] {1, 2, 3}).serializer()).isEmpty();
        assertThat(opened.get()).isBetween(1, 3);
    }

    @Test
    void saysWhyTheBaseTellsNothing() throws IOException {
        assertThat(search(new byte[] {1, 2, 3}).note().get())
                .startsWith("what is materialized can't be read: java.io.")
                .contains("and no plain type fits");
        assertThat(search(baseOf(new CopyableValueSerializer<>(LongValue.class))).note().get())
                .startsWith("their serializer is none of Flink's plain ones: ")
                .contains(CopyableValueSerializer.class.getName());
    }

    /** It is given for an operator of which nothing tells, beside others. */
    @Test
    void whatIsGivenReplacesAGuessAndNoMore() throws IOException {
        Optional<KeyType> given = KeyType.named("long");
        assertThat(search(baseOf(StringSerializer.INSTANCE)).or(given).serializer())
                .contains(StringSerializer.INSTANCE);
        assertThat(
                        search(baseOf(new CopyableValueSerializer<>(LongValue.class)))
                                .or(given)
                                .serializer())
                .isEmpty();
        assertThat(search(new byte[] {1, 2, 3}).or(given).origin()).isEqualTo(KeyType.Origin.GIVEN);
    }

    /** A change set of Flink's own backend has no index, and may be as large as a whole log. */
    @Test
    void readsNoMoreOfALargeSetThanASampleTakes() throws IOException {
        byte[][] records = new byte[50_000][];
        records[0] = Records.describe(1, "name", Type.VALUE, StringSerializer.INSTANCE);
        for (int i = 1; i < records.length; i++) {
            records[i] = Records.set(1, "key-" + i, "value");
        }
        StreamStateHandle segment = new WrittenLog(root, 0).plain("large", records);
        AtomicLong read = new AtomicLong();
        UncachedSource counting =
                new UncachedSource(
                        stored ->
                                new LocalDataInputStream(
                                        new File(
                                                ((FileStateHandle) stored)
                                                        .getFilePath()
                                                        .getPath())) {
                                    @Override
                                    public int read(byte[] buffer, int offset, int length)
                                            throws IOException {
                                        read.addAndGet(length);
                                        return super.read(buffer, offset, length);
                                    }
                                });
        OperatorState operator =
                WrittenLog.operator(1, WrittenLog.changelog(WrittenLog.log(1, segment, 0L)));

        KeyType found = search(counting, operator);

        assertThat(found.serializer()).contains(StringSerializer.INSTANCE);
        assertThat(read.get()).isBetween(1L, segment.getStateSize() / 10);
    }

    /** Of a row, the serializer has a buffer of its own. */
    @Test
    void eachThreadHasASerializerOfItsOwn() {
        KeyType type =
                KeyType.of(
                        new RowSerializer(new TypeSerializer<?>[] {StringSerializer.INSTANCE}),
                        KeyType.Origin.BASE);
        assertThat(type.serializer().get()).isNotSameAs(type.serializer().get());
    }

    private static byte[] baseOf(TypeSerializer<?> keys) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        new KeyedBackendSerializationProxy<>(keys, List.of(), false).write(out);
        return out.getCopyOfBuffer();
    }

    private KeyType search(byte[] base) throws IOException {
        KeyedStateHandle[] subtasks = new KeyedStateHandle[SUBTASKS];
        for (int i = 0; i < SUBTASKS; i++) {
            KeyedStateHandle state =
                    new KeyGroupsStateHandle(
                            new KeyGroupRangeOffsets(WrittenLog.ALL), new Counted(base));
            subtasks[i] =
                    new ChangelogStateBackendHandleImpl(
                            List.of(state), List.of(), WrittenLog.ALL, 7, 1, 0);
        }
        OperatorState operator = WrittenLog.operator(1, subtasks);
        return search(new UncachedSource(segment -> segment.openInputStream()), operator);
    }

    private static KeyType search(UncachedSource source, OperatorState operator)
            throws IOException {
        CheckpointMetadata metadata = new CheckpointMetadata(7, List.of(operator), List.of());
        return new KeyTypeSearch(source, Redaction.OF_URIS).of(OperatorLogs.of(metadata).get(0));
    }

    private final class Counted extends ByteStreamStateHandle {
        private static final long serialVersionUID = 1L;

        Counted(byte[] bytes) {
            super("base", bytes);
        }

        @Override
        public FSDataInputStream openInputStream() throws IOException {
            opened.incrementAndGet();
            return super.openInputStream();
        }
    }
}
