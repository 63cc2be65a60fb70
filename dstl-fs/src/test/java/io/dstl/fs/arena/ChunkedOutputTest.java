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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.arena.ChunkPool.ChunkList;
import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.util.Random;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkedOutputTest {

    private final ChunkPool pool = new ChunkPool(1 << 20);
    private final ChunkList chunks = new ChunkList(pool);
    private final ChunkedOutput output = new ChunkedOutput(chunks);

    /** Long enough to cross the borders of chunks with each kind of write. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void writesWhatADataOutputStreamWrites(long seed) throws Exception {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        DataOutputStream reference = new DataOutputStream(expected);
        for (long step = seed << 32; expected.size() < 5 * ChunkPool.CHUNK_BYTES; step++) {
            writeSomething(new Random(step), output);
            writeSomething(new Random(step), reference);
        }

        assertThat(content()).as("seed %d", seed).isEqualTo(expected.toByteArray());
    }

    private static void writeSomething(Random random, DataOutput out) throws IOException {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        switch (random.nextInt(13)) {
            case 0:
                out.write(random.nextInt());
                break;
            case 1:
                out.write(bytes);
                break;
            case 2:
                out.write(bytes, bytes.length / 3, bytes.length / 3);
                break;
            case 3:
                out.writeBoolean(random.nextBoolean());
                break;
            case 4:
                out.writeByte(random.nextInt());
                break;
            case 5:
                out.writeShort(random.nextInt());
                break;
            case 6:
                out.writeChar(random.nextInt());
                break;
            case 7:
                out.writeInt(random.nextInt());
                break;
            case 8:
                out.writeLong(random.nextLong());
                break;
            case 9:
                out.writeFloat(random.nextFloat());
                break;
            case 10:
                out.writeDouble(random.nextDouble());
                break;
            case 11:
                out.writeUTF(text(random));
                break;
            default:
                out.writeChars(text(random));
                out.writeBytes(text(random));
                break;
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(40);
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
        }
        return text.toString();
    }

    @Test
    void refusesAStringThatIsTooLongForUtf() {
        String text = new String(new char[30_000]).replace('\0', '\u20AC');

        assertThatThrownBy(() -> output.writeUTF(text))
                .isInstanceOf(UTFDataFormatException.class)
                .hasMessageContaining("90000");
        assertThat(output.position()).isZero();
    }

    @Test
    void copiesFromAView() throws Exception {
        byte[] source = new byte[3 * ChunkPool.CHUNK_BYTES];
        new Random(7).nextBytes(source);

        output.write(5);
        output.write(new DataInputDeserializer(source), source.length);

        assertThat(output.position()).isEqualTo(source.length + 1);
        assertThat(content()).endsWith(source);
    }

    @Test
    void rewindsAcrossChunks() throws Exception {
        output.write(new byte[] {1, 2, 3});
        output.write(new byte[3 * ChunkPool.CHUNK_BYTES]);

        output.rewindTo(2);
        output.write(9);

        assertThat(content()).containsExactly(1, 2, 9);
        assertThat(pool.retained()).isEqualTo(3);
    }

    @Test
    void skipsWithoutLosingItsPlace() throws Exception {
        output.skipBytesToWrite(ChunkPool.CHUNK_BYTES + 5);
        output.write(9);

        assertThat(content()).hasSize(ChunkPool.CHUNK_BYTES + 6).endsWith(9);
    }

    private byte[] content() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        chunks.copyTo(bytes, 0, output.position());
        return bytes.toByteArray();
    }
}
