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

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A value that tells which update wrote it, and else has bytes that no compression makes smaller.
 */
final class Payload {
    private Payload() {}

    /**
     * @param bytes at least 8; what is left over eight is zero
     */
    static byte[] of(long update, int bytes) {
        ByteBuffer value = ByteBuffer.allocate(bytes);
        value.putLong(update);
        fill(value, update);
        return value.array();
    }

    /**
     * Puts words that follow from that number into the rest of the buffer.
     *
     * @param value at the position to begin at
     */
    static void fill(ByteBuffer value, long number) {
        long word = number;
        while (value.remaining() >= Long.BYTES) {
            word = Scatter.of(word + 1);
            value.putLong(word);
        }
    }

    /**
     * The update that wrote the value.
     *
     * @throws IllegalStateException when not every byte is as it was written
     */
    static long update(byte[] value) {
        long update = ByteBuffer.wrap(value).getLong();
        if (!Arrays.equals(value, of(update, value.length))) {
            throw new IllegalStateException("the value of update " + update + " is damaged");
        }
        return update;
    }
}
