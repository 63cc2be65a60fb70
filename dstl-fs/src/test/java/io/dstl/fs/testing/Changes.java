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
package io.dstl.fs.testing;

import io.dstl.fs.arena.Arena;
import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.arena.ChunkPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.StateChange;

/** Makes change sets, and knows what a reader must make of them. */
public final class Changes {

    private static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(0, 127);

    private final Arena arena = new Arena(new ChunkPool(1 << 20), KEY_GROUPS, true);
    private final Map<Integer, List<String>> byKeyGroup = new TreeMap<>();

    public static Changes random(long seed, int count) throws IOException {
        Random random = new Random(seed);
        Changes changes = new Changes();
        for (int i = 0; i < count; i++) {
            byte[] change = new byte[random.nextInt(100) * (random.nextInt(50) == 0 ? 1000 : 1)];
            random.nextBytes(change);
            if (random.nextInt(100) == 0) {
                changes.addMetadata(change);
            } else {
                changes.add(random.nextInt(128), change);
            }
        }
        return changes;
    }

    public void add(int keyGroup, byte[] change) throws IOException {
        add(keyGroup, KeyGroupSlots.ofKeyGroup(KEY_GROUPS, keyGroup), change);
    }

    public void addMetadata(byte[] change) throws IOException {
        add(StateChange.META_KEY_GROUP, KeyGroupSlots.METADATA, change);
    }

    private void add(int keyGroup, int slot, byte[] change) throws IOException {
        arena.beginRecord().write(change);
        arena.endRecord(slot);
        byKeyGroup.computeIfAbsent(keyGroup, any -> new ArrayList<>()).add(show(keyGroup, change));
    }

    public ChangeSet seal() {
        return arena.seal();
    }

    /** In the order of a reader. */
    public List<String> expected() {
        List<String> all = new ArrayList<>();
        byKeyGroup.values().forEach(all::addAll);
        return all;
    }

    public static String show(StateChange change) {
        return show(change.getKeyGroup(), change.getChange());
    }

    private static String show(int keyGroup, byte[] change) {
        return keyGroup
                + ":"
                + (change.length < 20
                        ? Arrays.toString(change)
                        : change.length + " bytes " + Arrays.hashCode(change));
    }
}
