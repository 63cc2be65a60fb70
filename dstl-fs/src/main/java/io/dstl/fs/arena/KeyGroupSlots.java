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

import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Numbers what a change can belong to from 0, without gaps: first the metadata, then the key groups
 * of a range in order. This is also the order in which the groups of a change set are stored.
 */
public final class KeyGroupSlots {

    public static final int METADATA = 0;

    private KeyGroupSlots() {}

    /** Slots of a range: one per key group and one for the metadata. */
    public static int count(KeyGroupRange range) {
        return range.getNumberOfKeyGroups() + 1;
    }

    /**
     * @param keyGroup within the range
     */
    public static int ofKeyGroup(KeyGroupRange range, int keyGroup) {
        return keyGroup - range.getStartKeyGroup() + 1;
    }

    /** The inverse of {@link #ofKeyGroup}; the slot must not be {@link #METADATA}. */
    public static int keyGroup(KeyGroupRange range, int slot) {
        return slot - 1 + range.getStartKeyGroup();
    }
}
