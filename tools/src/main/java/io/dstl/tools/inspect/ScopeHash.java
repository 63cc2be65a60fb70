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
package io.dstl.tools.inspect;

/**
 * Hashes of 64 bits for scopes, and for entries within them. Two that differ meet by chance about
 * once in 2^64 pairs for scopes, in 2^44 for the entries of one scope.
 */
final class ScopeHash {
    /** Of the hash of an entry, as many low bits are its scope's, so both are sampled together. */
    private static final int SHARED_BITS = 20;

    private static final long SHARED = (1L << SHARED_BITS) - 1;
    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private ScopeHash() {}

    /**
     * @param to exclusive
     */
    static long ofScope(int state, byte[] record, int from, int to) {
        return hash(FNV_BASIS ^ state, record, from, to);
    }

    /**
     * @param scope hash of its scope
     * @param to exclusive
     */
    static long ofEntry(long scope, byte[] record, int from, int to) {
        return (hash(scope, record, from, to) & ~SHARED) | (scope & SHARED);
    }

    /** FNV-1a, and then the mixing that Murmur3 ends with. */
    private static long hash(long seed, byte[] record, int from, int to) {
        long hash = seed;
        for (int at = from; at < to; at++) {
            hash = (hash ^ (record[at] & 0xFF)) * FNV_PRIME;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
