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
package io.dstl.bench.job;

/** Turns the numbers of a sequence into numbers without order: each always into the same. */
final class Scatter {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final long FIRST = 0xBF58476D1CE4E5B9L;
    private static final long SECOND = 0x94D049BB133111EBL;

    private Scatter() {}

    /** The finalizer of SplitMix64: a bijection. */
    static long of(long number) {
        long mixed = number * STEP;
        mixed = (mixed ^ (mixed >>> 30)) * FIRST;
        mixed = (mixed ^ (mixed >>> 27)) * SECOND;
        return mixed ^ (mixed >>> 31);
    }
}
