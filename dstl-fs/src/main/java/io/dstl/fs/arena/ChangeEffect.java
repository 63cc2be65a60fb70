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
 * What a change does to those logged before it: whether a replay of the log comes to the same state
 * without them.
 *
 * <p>A change names its scope (a state, a key, a namespace) and, where it is one of many in its
 * scope, its entry (of a map, of a priority queue).
 */
public enum ChangeEffect {
    /**
     * May read what was logged before it, of any scope of its state; of any state where it names no
     * scope. Nothing before it is void by what comes after it, nor is it itself.
     */
    READS,
    /** Comes on top of its scope. Makes nothing void. */
    ADDS,
    /** Sets or removes its entry, whatever the entry was. */
    REPLACES_ENTRY,
    /** Sets all of its scope, whatever was in it. */
    REPLACES_SCOPE,
    /** Sets all of its scope, in which nothing was. */
    CREATES_SCOPE,
    /** Removes all of its scope, whatever was in it. */
    REMOVES_SCOPE;

    private static final ChangeEffect[] BY_CODE = values();

    /** For memory only: it says nothing in a file. */
    int code() {
        return ordinal();
    }

    boolean replacesScope() {
        return this == REPLACES_SCOPE || this == CREATES_SCOPE || this == REMOVES_SCOPE;
    }

    static ChangeEffect of(int code) {
        return BY_CODE[code];
    }
}
