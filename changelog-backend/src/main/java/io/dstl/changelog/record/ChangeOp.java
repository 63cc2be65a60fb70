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
package io.dstl.changelog.record;

import io.dstl.fs.arena.ChangeEffect;
import java.io.IOException;

/**
 * What a change does to the state it names: the first byte of each record.
 *
 * <p>The codes are those of Flink 1.20's changelog format, which a checkpoint of either backend
 * carries; they never change.
 */
public enum ChangeOp {
    /** Removes the value of the current key and namespace. */
    CLEAR(0, ChangeEffect.REMOVES_SCOPE),
    /** Sets the value as the user sees it. */
    SET(1, ChangeEffect.REPLACES_SCOPE),
    /** Sets the value as the backend keeps it (an accumulator, an internal list). */
    SET_INTERNAL(2, ChangeEffect.REPLACES_SCOPE),
    /** Adds several elements, or puts several entries. */
    ADD(3, ChangeEffect.ADDS),
    /** Merges source namespaces into a target. */
    MERGE_NS(4, ChangeEffect.READS),
    /** Adds one element to a list, or elements to a priority queue. */
    ADD_ELEMENT(5, ChangeEffect.ADDS),
    /** Puts one entry of a map. */
    ADD_OR_UPDATE_ELEMENT(6, ChangeEffect.REPLACES_ENTRY),
    /** Removes one entry of a map, or one element of a priority queue. */
    REMOVE_ELEMENT(7, ChangeEffect.REPLACES_ENTRY),
    /** Binds a state id to a name, a kind and serializers. */
    METADATA(8, ChangeEffect.READS);

    private static final ChangeOp[] BY_CODE = values();

    private final byte code;
    private final ChangeEffect effect;

    ChangeOp(int code, ChangeEffect effect) {
        this.code = (byte) code;
        this.effect = effect;
    }

    public byte code() {
        return code;
    }

    /**
     * The effect on earlier changes of the same key-value state. A priority queue knows more: see
     * {@link QueueLog}.
     */
    ChangeEffect effect() {
        return effect;
    }

    /**
     * @throws IOException if no operation has this code: the record is corrupt, or of a newer
     *     format
     */
    public static ChangeOp byCode(byte code) throws IOException {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IOException(
                    "Unknown operation "
                            + code
                            + " in a change record: expected a code from 0 to "
                            + (BY_CODE.length - 1)
                            + ". The log is corrupt, or was written by a newer version.");
        }
        return BY_CODE[code];
    }
}
