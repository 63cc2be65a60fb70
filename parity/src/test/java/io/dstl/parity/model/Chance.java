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
package io.dstl.parity.model;

/** Numbers that look random and are a function of their arguments: the same in each process. */
public final class Chance {

    private Chance() {}

    /** From 0 to bound, exclusive. */
    public static int below(int bound, Object... of) {
        long hash = 0x9E3779B97F4A7C15L;
        for (Object each : of) {
            hash = (hash ^ each.hashCode()) * 0xBF58476D1CE4E5B9L;
            hash ^= hash >>> 29;
        }
        return (int) Long.remainderUnsigned(hash, bound);
    }
}
