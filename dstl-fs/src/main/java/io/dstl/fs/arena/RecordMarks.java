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
 * What the writer of the open record says of it. All positions are in the record, which begins with
 * a byte that says what is done and two that name the state.
 *
 * <p>Not thread-safe.
 */
final class RecordMarks {

    /** What a scope begins with: see {@link #scopeEnds}. */
    static final int SCOPE_BEGIN = 1;

    /** Of the scope: the name of the state. */
    static final int STATE_BYTES = Short.BYTES;

    /** A number, not a reference, whose change would take a write barrier of the collector. */
    private int effect;

    private int scopeEnd;
    private int entryBegin;
    private int entryEnd;

    RecordMarks() {
        clear();
    }

    /** Nothing is said of the record. */
    void clear() {
        effect = ChangeEffect.READS.code();
        scopeEnd = 0;
        entryBegin = 0;
        entryEnd = 0;
    }

    void scopeEnds(ChangeEffect newEffect, int position) {
        if (position < SCOPE_BEGIN + STATE_BYTES) {
            throw new IllegalStateException(
                    "A scope ends at " + position + ", before the name of its state does");
        }
        effect = newEffect.code();
        scopeEnd = position;
        entryBegin = position;
    }

    void entryBegins(int position) {
        entryBegin = position;
    }

    void entryEnds(int position) {
        entryEnd = position;
    }

    /** An entry that has not ended ends with its record. */
    void recordEnds(int position) {
        if (entryEnd == 0) {
            entryEnd = position;
        }
    }

    ChangeEffect effect() {
        return ChangeEffect.of(effect);
    }

    int scopeEnd() {
        return scopeEnd;
    }

    int entryBegin() {
        return entryBegin;
    }

    int entryEnd() {
        return entryEnd;
    }
}
