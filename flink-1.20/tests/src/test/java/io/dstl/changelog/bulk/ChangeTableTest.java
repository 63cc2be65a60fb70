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

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.junit.jupiter.api.Test;

/** Against a sorted map, with keys that have much in common. */
class ChangeTableTest {
    private static final int RUNS = 20;
    private static final int CHANGES = 5000;
    private static final int MAX_KEY = 40;
    private static final int MAX_VALUE = 200;

    /** Of a key with its state, and a value. */
    private static final int MAX_BYTES = ChangeTable.STATE_BYTES + MAX_KEY + MAX_VALUE;

    @Test
    void keepsTheLastChangeOfEachKeyInTheirOrder() {
        for (long seed = 1; seed <= RUNS; seed++) {
            Random random = new Random(seed);
            ChangeTable table = new ChangeTable(Long.MAX_VALUE);
            TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
            for (int i = 0; i < CHANGES; i++) {
                change(table, random, expected);
            }

            assertThat(content(table)).as("seed %s", seed).isEqualTo(lines(expected));
        }
    }

    /**
     * Ids that users choose, say: "Aa" and "BB" have one hash in Java, and so have all of these.
     */
    @Test
    void keysOfOneHashInJavaHaveMany() {
        int pairs = 12;
        Set<Integer> inJava = new HashSet<>();
        Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < 1 << pairs; i++) {
            StringBuilder key = new StringBuilder();
            for (int pair = 0; pair < pairs; pair++) {
                key.append((i >> pair & 1) == 0 ? "Aa" : "BB");
            }
            byte[] bytes = key.toString().getBytes(US_ASCII);
            inJava.add(key.toString().hashCode());
            hashes.add(ChangeTable.hash(bytes, 0, bytes.length, false));
        }

        assertThat(inJava).hasSize(1);
        assertThat(hashes).hasSizeGreaterThan((1 << pairs) - 10);
    }

    /** Also those of which only the last bytes, or the first ones, differ. */
    @Test
    void neighboursHaveHashesThatAreSpread() {
        int mask = (1 << 12) - 1;
        for (int at : new int[] {0, 3, 7, 11}) {
            Set<Integer> slots = new HashSet<>();
            for (int i = 0; i <= mask; i++) {
                byte[] bytes = new byte[15];
                bytes[at] = (byte) i;
                bytes[at + 1] = (byte) (i >> Byte.SIZE);
                slots.add(ChangeTable.hash(bytes, 0, bytes.length, false) & mask);
            }
            assertThat(slots.size()).as("at %s", at).isGreaterThan(mask / 2);
        }
    }

    @Test
    void takesNoMoreMemoryThanItsLimit() {
        for (long seed = 1; seed <= RUNS; seed++) {
            Random random = new Random(seed);
            long limit = 120_000L + random.nextInt(400_000);
            ChangeTable table = new ChangeTable(limit);
            int filled = 0;
            for (int i = 0; i < CHANGES; i++) {
                if (!table.reserve(MAX_BYTES, 1)) {
                    table.clear();
                    filled++;
                }
                change(table, random, new TreeMap<>(Arrays::compareUnsigned));

                assertThat(table.allocated()).as("seed %s", seed).isLessThanOrEqualTo(limit);
            }
            assertThat(filled).as("times it was full, seed %s", seed).isPositive();
        }
    }

    @Test
    void takesAChangeThatIsLargerThanItsLimit() {
        ChangeTable table = new ChangeTable(100_000);
        byte[] large = new byte[1 << 20];

        assertThat(table.reserve(large.length, 1)).isTrue();
        table.beginKey(1);
        table.put(table.endKey(), large, 0, large.length);

        assertThat(table.valueLength(0)).isEqualTo(large.length);
        assertThat(table.reserve(large.length, 1)).isFalse();
        table.clear();
        assertThat(table.allocated()).isLessThan(100_000);
    }

    /** However much memory it may take: an array has no more than an int of bytes. */
    @Test
    void growsNoFurtherThanAnArrayCan() {
        assertThat(new ChangeTable(8L << 30).limit()).isEqualTo(1L << 30);
        for (long length : new long[] {1_400_000_000, 1_500_000_000, Integer.MAX_VALUE - 16}) {
            assertThat(ChangeTable.grown(length, length + 1))
                    .isBetween(length + 1, Integer.MAX_VALUE - 8L);
        }
    }

    /** Changes of one key take no room, and come without end. */
    @Test
    void isFullWhenItCannotTellWhatCameFirst() {
        ChangeTable table = new ChangeTable(Long.MAX_VALUE, 100);
        int changes = 0;
        while (table.reserve(1, 1)) {
            table.beginKey(1);
            table.delete(table.endKey());
            changes++;
        }

        assertThat(changes).isBetween(90, 100);
        assertThat(table.turn(0)).isLessThan(100);
        table.clear();
        assertThat(table.reserve(1, 1)).isTrue();
    }

    @Test
    void stopsSortingWhenTheTaskIsCancelled() {
        ChangeTable table = new ChangeTable(Long.MAX_VALUE);
        byte[] key = new byte[Integer.BYTES];
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            random.nextBytes(key);
            table.beginKey(1);
            table.append(key, 0, key.length);
            table.delete(table.endKey());
        }
        AtomicInteger asked = new AtomicInteger();

        assertThatThrownBy(() -> EntryOrder.of(table, () -> asked.incrementAndGet() == 3))
                .isInstanceOf(CancelTaskException.class);
        assertThat(asked).hasValue(3);
    }

    @Test
    void tellsAnEntryThatClearsFromOneOfTheSameKey() {
        ChangeTable table = new ChangeTable(Long.MAX_VALUE);
        table.beginKey(1);
        int entry = table.endKey();
        table.beginKey(1);
        table.endCleared();
        table.beginKey(1);

        assertThat(table.endKey()).isEqualTo(entry);
        assertThat(table.size()).isEqualTo(2);
        int[] order = EntryOrder.of(table, () -> false);
        assertThat(table.op(order[0])).isEqualTo(ChangeTable.EntryOp.CLEAR);
        assertThat(table.turn(order[0])).isGreaterThan(table.turn(order[1]));
    }

    /** Whether it is the first entry that it has no room for, or any other one. */
    @Test
    void growsForAnEntryThatClears() {
        ChangeTable table = new ChangeTable(Long.MAX_VALUE);
        for (int i = 0; i < 5000; i++) {
            table.beginKey(i);
            table.endCleared();

            assertThat(table.op(i)).isEqualTo(ChangeTable.EntryOp.CLEAR);
            assertThat(table.turn(i)).as("entry %s", i).isPositive();
        }
    }

    @Test
    void joinsThePiecesOfAList() {
        ChangeTable table = new ChangeTable(Long.MAX_VALUE);
        table.beginKey(1);
        int list = table.endKey();
        table.mergeList(list);
        for (String piece : List.of("first", "", "third")) {
            table.addPiece(list, piece.getBytes(ISO_8859_1), 0, piece.length());
        }

        assertThat(table.op(list)).isEqualTo(ChangeTable.EntryOp.MERGE);
        assertThat(pieces(table, list)).isEqualTo("first,,third");

        table.deleteList(list);
        assertThat(table.op(list)).isEqualTo(ChangeTable.EntryOp.DELETE);
        table.addPiece(list, new byte[] {'x'}, 0, 1);
        assertThat(table.op(list)).isEqualTo(ChangeTable.EntryOp.PUT);
        assertThat(pieces(table, list)).isEqualTo("x");
    }

    private static String pieces(ChangeTable table, int list) {
        byte[] target = new byte[table.valueLength(list)];
        table.copyPieces(list, (byte) ',', target);
        return new String(target, ISO_8859_1);
    }

    /** A null is a deletion. */
    private static void change(ChangeTable table, Random random, TreeMap<byte[], byte[]> expected) {
        byte[] key = new byte[1 + random.nextInt(MAX_KEY)];
        for (int i = 0; i < key.length; i++) {
            // Mostly zeros, as in small numbers, and of both signs.
            key[i] = (byte) (random.nextInt(20) == 0 ? random.nextInt(256) : 0);
        }
        int state = random.nextInt(3) * 200;
        table.beginKey(state);
        table.append(key, 0, key.length);
        int entry = table.endKey();
        byte[] value = null;
        if (random.nextInt(4) == 0) {
            table.delete(entry);
        } else {
            value = new byte[random.nextInt(MAX_VALUE)];
            random.nextBytes(value);
            table.put(entry, value, 0, value.length);
        }
        byte[] whole = new byte[ChangeTable.STATE_BYTES + key.length];
        whole[0] = (byte) (state >>> Byte.SIZE);
        whole[1] = (byte) state;
        System.arraycopy(key, 0, whole, ChangeTable.STATE_BYTES, key.length);
        expected.put(whole, value);
    }

    private static List<String> content(ChangeTable table) {
        List<String> lines = new ArrayList<>();
        for (int entry : EntryOrder.of(table, () -> false)) {
            int keyAt = table.keyAt(entry);
            byte[] key = Arrays.copyOfRange(table.bytes(), keyAt, keyAt + table.keyLength(entry));
            byte[] value = null;
            if (table.op(entry) == ChangeTable.EntryOp.PUT) {
                int at = table.valueAt(entry);
                value = Arrays.copyOfRange(table.bytes(), at, at + table.valueLength(entry));
            }
            lines.add(line(key, value));
        }
        return lines;
    }

    private static List<String> lines(Map<byte[], byte[]> entries) {
        List<String> lines = new ArrayList<>();
        entries.forEach((key, value) -> lines.add(line(key, value)));
        return lines;
    }

    private static String line(byte[] key, byte[] value) {
        return Arrays.toString(key) + " " + Arrays.toString(value);
    }
}
