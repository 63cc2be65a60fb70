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
package io.dstl.fs.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

/** What is read is what the content has, however its stream hands it out. */
class ContentCursorTest {
    private static final int LENGTH = 5_000_000;

    private final byte[] content = new byte[LENGTH];

    ContentCursorTest() {
        new Random(7).nextBytes(content);
    }

    @Test
    void readsAndSkipsInStepsOfAnyLength() throws IOException {
        for (int seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            ContentCursor cursor = cursor(new InPieces(content, new Random(seed)));
            int at = 0;
            while (at < LENGTH - 8) {
                int step = Math.min(1 + random.nextInt(1 << random.nextInt(22)), LENGTH - 8 - at);
                if (random.nextInt(4) == 0) {
                    cursor.skipTo(at + step);
                } else {
                    assertThat(cursor.readBytes(step, "bytes"))
                            .as("seed %s, position %s", seed, at)
                            .isEqualTo(Arrays.copyOfRange(content, at, at + step));
                }
                at += step;
                assertThat(cursor.readInt("a number"))
                        .isEqualTo(ByteBuffer.wrap(content, at, 4).getInt());
                at += 4;
                assertThat(cursor.position()).isEqualTo(at);
            }
        }
    }

    @Test
    void namesTheRecordThatEndsTooEarly() throws IOException {
        ContentCursor cursor = cursor(new InPieces(content, new Random(1)));
        cursor.skipTo(LENGTH - 3_000_000);

        assertThatThrownBy(() -> cursor.readBytes(3_000_001, "a record"))
                .isInstanceOf(SegmentCorruptedException.class)
                .hasMessageContaining("the end of the file after 3000000 bytes")
                .hasMessageContaining("a record")
                .hasMessageContaining("position 2000000");
    }

    @Test
    void namesWhatIsSkippedToBehindTheEnd() throws IOException {
        ContentCursor cursor = cursor(new InPieces(content, new Random(1)));
        cursor.readInt("a number");

        assertThatThrownBy(() -> cursor.skipTo(LENGTH + 1L))
                .isInstanceOf(SegmentCorruptedException.class)
                .hasMessageContaining("more up to position " + (LENGTH + 1));
    }

    private static ContentCursor cursor(InputStream content) {
        return new ContentCursor(new ByteStreamStateHandle("segment", new byte[0]), content, 0);
    }

    /** Hands out fewer bytes than it is asked for. */
    private static final class InPieces extends ByteArrayInputStream {
        private final Random random;

        InPieces(byte[] content, Random random) {
            super(content);
            this.random = random;
        }

        @Override
        public synchronized int read(byte[] target, int from, int length) {
            return super.read(target, from, Math.min(length, 1 + random.nextInt(10_000)));
        }

        @Override
        public synchronized long skip(long length) {
            return super.skip(Math.min(length, random.nextInt(10_000)));
        }
    }
}
