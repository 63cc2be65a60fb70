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
 * The effect of a change on earlier ones: whether a replay of the log reaches the same state
 * without them.
 *
 * <p>A change names its scope (a state, a key, a namespace) and, if it is one of many in its scope,
 * its entry (of a map, of a priority queue).
 */
public enum ChangeEffect {
    /**
     * May read earlier changes, of any scope of its state; of any state if it names no scope. Later
     * changes make neither this change nor those before it void.
     */
    READS,
    /** Adds to its scope. Makes nothing void. */
    ADDS,
    /** Sets or removes its entry, whatever its value was. */
    REPLACES_ENTRY,
    /** Sets its whole scope, whatever was in it. */
    REPLACES_SCOPE,
    /** Sets its whole scope, which was empty. */
    CREATES_SCOPE,
    /** Removes its whole scope, whatever was in it. */
    REMOVES_SCOPE;

    private static final ChangeEffect[] BY_CODE = values();

    /** For memory only: no file contains it. */
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
