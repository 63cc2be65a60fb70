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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class LiveBytesTest {
    private static final int KEYS = 200_000;
    private static final int ROUNDS = 3;

    @Test
    void countsExactlyWhileItHasRoom() {
        LiveBytes live = new LiveBytes(64L << 20);
        assertThat(overwritten(live)).isEqualTo((ROUNDS - 1) * KEYS * 10L);
        assertThat(live.rate()).isEqualTo(1);
    }

    @Test
    void estimatesWithinItsMemory() {
        long memory = 1 << 20;
        LiveBytes live = new LiveBytes(memory);
        long estimated = overwritten(live);
        assertThat(live.memoryBytes()).isLessThanOrEqualTo(memory);
        assertThat(live.rate()).isGreaterThan(1);
        double expected = (ROUNDS - 1) * KEYS * 10.0;
        assertThat((double) estimated).isCloseTo(expected, within(expected / 20));
    }

    @Test
    void oneScopeWithMoreEntriesThanThereIsRoomForIsNotOverestimated() {
        long memory = 1 << 16;
        LiveBytes live = new LiveBytes(memory);
        long scope = scope(1);
        long replaced = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int entry = 0; entry < 10_000; entry++) {
                byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(entry).array();
                long hash = ScopeHash.ofEntry(scope, key, 0, key.length);
                replaced += live.replaceEntry(scope, hash, 0, 10);
            }
        }
        assertThat(live.memoryBytes()).isLessThanOrEqualTo(memory);
        assertThat(replaced).isBetween(0L, (ROUNDS - 1) * 10_000 * 10L);
    }

    private static long overwritten(LiveBytes live) {
        long replaced = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int key = 0; key < KEYS; key++) {
                replaced += live.replaceScope(scope(key), 0, 10);
            }
        }
        return replaced;
    }

    private static long scope(int key) {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
        return ScopeHash.ofScope(0, bytes, 0, bytes.length);
    }
}
