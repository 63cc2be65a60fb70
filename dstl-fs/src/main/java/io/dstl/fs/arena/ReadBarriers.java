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

import java.util.Arrays;

/**
 * In a walk over the records of a key group from the last to the first: beyond which record of the
 * log nothing is known to be void any more, as it was read in between.
 *
 * <p>Few states have changes that read, so they are looked for one after the other. Not
 * thread-safe.
 */
final class ReadBarriers {

    private static final int NOWHERE = Integer.MAX_VALUE;

    private int ofAll;
    private int[] states = new int[4];
    private int[] records = new int[4];
    private int count;

    void reset() {
        ofAll = NOWHERE;
        count = 0;
    }

    /** The record reads any state. */
    void add(int record) {
        ofAll = record;
    }

    /** The record reads one state. */
    void add(int state, int record) {
        int at = indexOf(state);
        if (at == count) {
            if (count == states.length) {
                states = Arrays.copyOf(states, 2 * count);
                records = Arrays.copyOf(records, 2 * count);
            }
            states[count++] = state;
        }
        records[at] = record;
    }

    private int indexOf(int state) {
        int at = 0;
        while (at < count && states[at] != state) {
            at++;
        }
        return at;
    }

    /** Only records before it (in the log) make earlier ones of the state void. */
    int of(int state) {
        int at = indexOf(state);
        return at == count ? ofAll : Math.min(ofAll, records[at]);
    }
}
