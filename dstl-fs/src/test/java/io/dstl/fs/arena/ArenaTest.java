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
package io.dstl.fs.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet.EffectiveRecords;
import io.dstl.fs.arena.ChunkPool.ChunkList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.Test;

class ArenaTest {

    private static final int LENGTH = Integer.BYTES;

    private final KeyGroupRange keyGroups = new KeyGroupRange(10, 13);
    private final ChunkPool pool = new ChunkPool(1 << 20);
    private final Arena arena = new Arena(pool, keyGroups, true);

    @Test
    void ordersRecordsByKeyGroupAndKeepsTheirOrderWithin() throws Exception {
        add(12, 1);
        add(10, 2);
        add(12, 3);
        arena.beginRecord().write(4);
        arena.endRecord(KeyGroupSlots.METADATA);
        add(10, 5, 6);

        ChangeSet sealed = arena.seal();

        assertThat(records(sealed)).isEqualTo("4|2|5,6|1|3|");
        assertThat(sealed.effective().countOf(KeyGroupSlots.METADATA)).isEqualTo(1);
        assertThat(sealed.effective().countOf(KeyGroupSlots.ofKeyGroup(keyGroups, 12)))
                .isEqualTo(2);
        assertThat(sealed.bytes()).isEqualTo(6);
    }

    @Test
    void aDroppedRecordLeavesNoTrace() throws Exception {
        add(10, 1);
        arena.beginRecord().write(new byte[2 * ChunkPool.CHUNK_BYTES]);
        arena.dropRecord();
        add(11, 2);

        assertThat(records(arena.seal())).isEqualTo("1|2|");
    }

    @Test
    void takesEmptyRecords() throws Exception {
        add(10);
        add(10, 1);
        add(10);

        assertThat(records(arena.seal())).isEqualTo("|1||");
    }

    @Test
    void givesItsMemoryBackWithTheLastUser() throws Exception {
        for (int i = 0; i < 2 * ChunkPool.CHUNK_BYTES / RecordIndex.ENTRY_BYTES; i++) {
            add(10, new int[60]);
        }
        ChangeSet sealed = arena.seal();

        assertThat(sealed.retain()).isTrue();
        sealed.release();
        assertThat(pool.retained()).isZero();
        sealed.release();

        assertThat(pool.retained()).isEqualTo(10);
        assertThat(sealed.retain()).isFalse();
        assertThatThrownBy(sealed::release).isInstanceOf(IllegalStateException.class);
    }

    /** A log keeps each set until it is truncated, long after it was stored. */
    @Test
    void aSetThatIsReleasedHoldsNothingForItsKeyGroups() throws Exception {
        Arena wide = new Arena(pool, new KeyGroupRange(0, 32767), true);
        wide.beginRecord().write(1);
        wide.endRecord(1);
        ChangeSet sealed = wide.seal();
        sealed.trim();
        long order = 2 * Integer.BYTES * (1 + 32769L);

        assertThat(sealed.heldBytes())
                .isEqualTo(5 + RecordIndex.ENTRY_BYTES + Integer.BYTES * 32769L + order);
        sealed.release();

        assertThat(sealed.heldBytes()).isZero();
        assertThat(heldBy(sealed))
                .as("classes of what it refers to")
                .containsOnly(KeyGroupRange.class, AtomicInteger.class, Object.class);
        assertThat(sealed.count()).isEqualTo(1);
        assertThat(sealed.bytes()).isEqualTo(1);
        assertThat(sealed.groups()).isEqualTo(1);
    }

    /** What it says of its size is one thing, what the garbage collector must leave another. */
    private static List<Class<?>> heldBy(ChangeSet sealed) throws Exception {
        List<Class<?>> held = new ArrayList<>();
        for (Field field : ChangeSet.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                field.setAccessible(true);
                Object value = field.get(sealed);
                if (value != null) {
                    held.add(value.getClass());
                }
            }
        }
        return held;
    }

    /** Else a thousand tasks with a change each would have 64 MB in flight. */
    @Test
    void aSmallSetHoldsLittleAndReadsAsItWasWritten() throws Exception {
        for (int records : new int[] {1, 3, 300, 1000, 2000, 4000}) {
            for (int i = 0; i < records; i++) {
                add(10 + i % 4, i);
            }
            ChangeSet sealed = arena.seal();
            sealed.trim();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            sealed.copyRecords(0, records - 1, out);

            long known = 5 * Integer.BYTES + 2 * Integer.BYTES * (5L + records);
            assertThat(sealed.heldBytes())
                    .isEqualTo(
                            held(5L * records)
                                    + held((long) RecordIndex.ENTRY_BYTES * records)
                                    + known);
            assertThat(out.size()).isEqualTo(5 * records);
            assertThat(out.toByteArray()).endsWith(0, 0, 0, 1, (byte) (records - 1));
            assertThat(sealed.effective().count()).isEqualTo(records);
            sealed.release();
        }
    }

    /** Whole chunks, but for a last one that is at most half full. */
    private static long held(long bytes) {
        long rest = bytes % ChunkPool.CHUNK_BYTES;
        return rest > ChunkPool.CHUNK_BYTES / 2 ? bytes - rest + ChunkPool.CHUNK_BYTES : bytes;
    }

    /** Else the set would keep its chunk where the pool does not take it. */
    @Test
    void aSmallSetKeepsNoChunk() throws Exception {
        add(10, 1);
        ChangeSet sealed = arena.seal();
        sealed.trim();
        RecordIndex index = ((ChangeSet.Records) field(sealed, "records")).index;

        assertThat(((ChunkList) field(index, "chunks")).heldBytes())
                .isEqualTo(RecordIndex.ENTRY_BYTES);
        assertThat((byte[]) field(field(index, "output"), "chunk")).isEmpty();
    }

    private static Object field(Object of, String name) throws Exception {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    /** Also what is known of each change: of small ones that is more than their bytes. */
    @Test
    void countsAllThatItHolds() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            add(10 + i % 4, 1, 2, 3, 4);
        }
        ChangeSet sealed = arena.seal();

        assertThat(sealed.bytes()).isEqualTo(80_000);
        assertThat(sealed.heldBytes())
                .isBetween(20_000L * (8 + 16 + 8), 20_000L * (8 + 16 + 8) + (70 << 10));
    }

    @Test
    void takesNoNewMemoryForTheSameWorkAgain() throws Exception {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 20_000; i++) {
                add(10 + i % 4, 1, 2, 3, 4);
            }
            arena.seal().release();
        }

        assertThat(pool.retained()).isEqualTo(5 + 10);
    }

    @Test
    void hasNothingToSealWhenEmpty() {
        assertThatThrownBy(arena::seal).isInstanceOf(IllegalStateException.class);
    }

    private void add(int keyGroup, int... bytes) throws IOException {
        DataOutputView record = arena.beginRecord();
        for (int b : bytes) {
            record.write(b);
        }
        arena.endRecord(KeyGroupSlots.ofKeyGroup(keyGroups, keyGroup));
    }

    private static String records(ChangeSet sealed) throws IOException {
        StringBuilder text = new StringBuilder();
        EffectiveRecords records = sealed.effective();
        for (int place = 0; place < records.count(); place++) {
            int record = records.record(place);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            sealed.copyRecords(record, record, bytes);
            byte[] copied = bytes.toByteArray();
            assertThat(ByteBuffer.wrap(copied).getInt()).isEqualTo(copied.length - LENGTH);
            for (int i = LENGTH; i < copied.length; i++) {
                text.append(i == LENGTH ? "" : ",").append(copied[i]);
            }
            text.append('|');
        }
        return text.toString();
    }
}
