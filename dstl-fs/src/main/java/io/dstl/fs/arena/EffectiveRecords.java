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

/**
 * The records of a change set that no later one of it makes void: those that are stored. Immutable;
 * any thread.
 */
public final class EffectiveRecords {

    private final int[] bySlot;
    private final int[] countPerSlot;
    private final int bytes;
    private final int voidRecords;
    private final int voidBytes;

    /**
     * @param bySlot record numbers, by slot, and within a slot in the order they were written
     * @param bytes of these records, without any framing
     */
    EffectiveRecords(int[] bySlot, int[] countPerSlot, int bytes, int voidRecords, int voidBytes) {
        this.bySlot = bySlot;
        this.countPerSlot = countPerSlot;
        this.bytes = bytes;
        this.voidRecords = voidRecords;
        this.voidBytes = voidBytes;
    }

    public int count() {
        return bySlot.length;
    }

    /**
     * @param slot see {@link KeyGroupSlots}
     */
    public int countOf(int slot) {
        return countPerSlot[slot];
    }

    /**
     * @param place from 0: in the order of the slots, and within a slot in that of the log
     */
    public int record(int place) {
        return bySlot[place];
    }

    /** Without any framing. */
    public int bytes() {
        return bytes;
    }

    /** How many were left out. */
    public int voidRecords() {
        return voidRecords;
    }

    /** Of those left out, without any framing. */
    public int voidBytes() {
        return voidBytes;
    }
}
