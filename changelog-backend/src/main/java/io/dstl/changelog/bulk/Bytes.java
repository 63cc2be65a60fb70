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
package io.dstl.changelog.bulk;

import java.util.Arrays;

/** A part of an array, set anew for each use, so that no key or value needs an object. */
public final class Bytes {
    private byte[] array = new byte[0];
    private int from;
    private int length;

    public Bytes set(byte[] newArray, int newFrom, int newLength) {
        array = newArray;
        from = newFrom;
        length = newLength;
        return this;
    }

    public byte[] array() {
        return array;
    }

    public int from() {
        return from;
    }

    public int length() {
        return length;
    }

    public byte[] copy() {
        return Arrays.copyOfRange(array, from, from + length);
    }

    boolean isBelow(Bytes prefix) {
        if (length < prefix.length) {
            return false;
        }
        for (int i = 0; i < prefix.length; i++) {
            if (array[from + i] != prefix.array[prefix.from + i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether an array has these bytes at a position. */
    public boolean isPrefixOf(byte[] other, int at) {
        return length <= other.length - at
                && Arrays.equals(array, from, from + length, other, at, at + length);
    }

    /** Reads a big-endian int. */
    static int readInt(byte[] from, int at) {
        return (from[at] & 0xFF) << 24
                | (from[at + 1] & 0xFF) << 16
                | (from[at + 2] & 0xFF) << 8
                | (from[at + 3] & 0xFF);
    }
}
