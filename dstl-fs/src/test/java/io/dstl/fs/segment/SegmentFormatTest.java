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

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.segment.SnappyFrames.SnappyContent;
import io.dstl.fs.testing.Changes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentFormatTest {

    /** Two change sets, byte by byte as the layout says. */
    private static final byte[] PLAIN = {
        0, // plain
        0, 0, 0, 2, // set at offset 0: two groups
        0, 0, 0, 1, -1, -1, -1, -1, // one record of metadata
        0, 0, 0, 1, 42, //
        0, 0, 0, 2, 0, 0, 0, 5, // two records of key group 5
        0, 0, 0, 3, 1, 2, 3, //
        0, 0, 0, 0, //
        0, 0, 0, 1, // set at offset 36: one group
        0, 0, 0, 1, 0, 0, 0, 7, // one record of key group 7
        0, 0, 0, 2, 8, 9
    };

    private static final long SECOND_SET = 36;

    /** What follows, but for the checksum. */
    private static final byte[] INDEX = {
        0, // plain
        0,
        0,
        0,
        2, // sets
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0, // offset
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        36, // bytes
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1, // position
        1, // grouped
        0,
        0,
        0,
        36, // block: bytes
        0x64,
        0x0D,
        -87,
        -61, // checksum
        0,
        0,
        0,
        4,
        -1,
        -1,
        -1,
        -1, // the metadata begins at 4
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        36, //
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        18, //
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        37, //
        1, //
        0,
        0,
        0,
        18, //
        0,
        0,
        0,
        0, //
        0,
        0,
        0,
        4,
        0,
        0,
        0,
        7, // key group 7 begins at 4
        0,
        0,
        0,
        87, // bytes of the index
        0,
        0,
        0,
        1 // version
    };

    @Test
    void isWrittenByteByByteAsTheLayoutSays() throws Exception {
        ByteBuffer index = ByteBuffer.wrap(INDEX.clone());
        index.putInt(34, checksum(PLAIN, 1, 36));
        index.putInt(75, checksum(PLAIN, 37, 18));
        ByteBuffer expected = ByteBuffer.allocate(PLAIN.length + INDEX.length + 12);
        expected.put(PLAIN).put(index.array()).putInt(checksum(index.array(), 0, INDEX.length));
        expected.put("dstl-idx".getBytes(StandardCharsets.US_ASCII));

        assertThat(encode(false)).isEqualTo(expected.array());
        assertThat(encoder(false).offsets()).containsExactly(0L, SECOND_SET);
    }

    private static int checksum(byte[] bytes, int offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, offset, length);
        return (int) checksum.getValue();
    }

    /** As Flink's own reader does when it keeps a local copy. */
    @Test
    void aCompressedSegmentIsDecompressedToItsEndWithoutSeeingTheIndex() throws Exception {
        InputStream file = new ByteArrayInputStream(encode(true));
        assertThat(file.read()).isEqualTo(1);

        byte[] content =
                SnappyStreamCompressionDecorator.INSTANCE
                        .decorateWithCompression(file)
                        .readAllBytes();

        assertThat(content).isEqualTo(Arrays.copyOfRange(PLAIN, 1, PLAIN.length));
    }

    @ParameterizedTest
    @CsvSource({"plain.segment, false", "snappy.segment, true"})
    void isThatOfTheGoldenFiles(String name, boolean compressed) throws Exception {
        byte[] golden;
        try (InputStream file = getClass().getResourceAsStream("/golden/" + name)) {
            golden = file.readAllBytes();
        }

        assertThat(read(golden, 0)).containsExactly("-1:[42]", "5:[1, 2, 3]", "5:[]");
        assertThat(read(golden, SECOND_SET)).containsExactly("7:[8, 9]");
        assertThat(encode(compressed)).isEqualTo(golden);
    }

    /** No length of a file makes a reader skip anything silently. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyTruncationIsAnErrorThatNamesTheSegment(boolean compressed) throws Exception {
        byte[] whole = withoutIndex(compressed);
        for (int length = 0; length < whole.length; length++) {
            byte[] truncated = Arrays.copyOf(whole, length);

            assertThatThrownBy(() -> read(truncated, SECOND_SET))
                    .as("%d of %d bytes", length, whole.length)
                    .isInstanceOf(SegmentCorruptedException.class)
                    .hasMessageContaining("the-segment")
                    .hasMessageContaining("offset " + SECOND_SET)
                    .hasMessageContaining("expected");
        }
    }

    /** Flink's own decompressor does not look at the checksums. */
    @Test
    void everyFlippedBitOfACompressedSegmentIsAnError() throws Exception {
        byte[] whole = withoutIndex(true);
        List<String> sound = read(whole, 0);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            List<String> read;
            try {
                read = read(flipped, 0);
            } catch (SegmentCorruptedException expected) {
                continue;
            }
            assertThat(read).as("bit %d", bit).isEqualTo(sound);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 2, a first byte of 2",
        "1, -1, key groups",
        "5, -1, changes",
        "9, 0, key group 16777215",
        "13, -128, a change of -2147483647 bytes",
        "22, -1, key group -16777211",
        "18, 127, the end of the file",
        "26, 64, the end of the file",
    })
    void whatIsOutOfBoundsIsAnErrorThatNamesIt(int position, byte value, String found) {
        byte[] corrupt = PLAIN.clone();
        corrupt[position] = value;

        assertThatThrownBy(() -> read(corrupt, 0))
                .isInstanceOf(SegmentCorruptedException.class)
                .hasMessageContaining(found);
    }

    @Test
    void aKeyGroupThatComesTwiceIsAnError() {
        byte[] corrupt = {
            0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0
        };

        assertThatThrownBy(() -> read(corrupt, 0))
                .isInstanceOf(SegmentCorruptedException.class)
                .hasMessageContaining("key group 5 a second time");
    }

    @Test
    void aFailureOfTheStreamIsNoCorruption() {
        IOException failure = new IOException("connection reset");
        InputStream broken =
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw failure;
                    }
                };

        assertThatThrownBy(
                        () ->
                                SnappyContent.fromBegin(
                                                broken, handle(new byte[0]), 0, new FrameMarks())
                                        .read(new byte[10], 0, 10))
                .isSameAs(failure);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void readsBackWhateverWasWritten(long seed) throws Exception {
        Changes changes = Changes.random(seed, 3000);
        ChangeSet sealed = changes.seal();
        for (boolean compressed : new boolean[] {false, true}) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            new SegmentEncoder(List.of(sealed), compressed).writeTo(bytes);

            assertThat(read(bytes.toByteArray(), 0))
                    .as("seed %d, compressed %s", seed, compressed)
                    .isEqualTo(changes.expected());
        }
    }

    /** Closing the frames writes to it once more. */
    @Test
    void aStreamMayFailTwiceWithTheSameException() throws Exception {
        Changes large = new Changes();
        byte[] incompressible = new byte[1 << 20];
        new Random(5).nextBytes(incompressible);
        large.add(5, incompressible);
        SegmentEncoder encoder = new SegmentEncoder(List.of(large.seal()), true);
        IOException failure = new IOException("the disk is full");
        OutputStream full =
                new OutputStream() {
                    private int written;

                    @Override
                    public void write(int b) throws IOException {
                        if (written++ >= 1_000) {
                            throw failure;
                        }
                    }
                };

        assertThatThrownBy(() -> encoder.writeTo(full)).isSameAs(failure);
    }

    @Test
    void aSegmentThatWasGivenUpIsNotWritten() throws Exception {
        Changes changes = new Changes();
        changes.add(1, new byte[] {1});
        ChangeSet sealed = changes.seal();
        SegmentEncoder encoder = new SegmentEncoder(List.of(sealed), false);
        sealed.release();

        assertThatThrownBy(() -> encoder.writeTo(new ByteArrayOutputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("given up");
    }

    private static SegmentEncoder encoder(boolean compressed) throws IOException {
        Changes first = new Changes();
        first.add(5, new byte[] {1, 2, 3});
        first.addMetadata(new byte[] {42});
        first.add(5, new byte[0]);
        Changes second = new Changes();
        second.add(7, new byte[] {8, 9});
        return new SegmentEncoder(List.of(first.seal(), second.seal()), compressed);
    }

    private static byte[] encode(boolean compressed) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        encoder(compressed).writeTo(bytes);
        return bytes.toByteArray();
    }

    private static StreamStateHandle handle(byte[] segment) {
        return new ByteStreamStateHandle("the-segment", segment);
    }

    /** As Flink's own storage writes it. */
    private static byte[] withoutIndex(boolean compressed) throws IOException {
        if (!compressed) {
            return PLAIN;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(1);
        try (OutputStream frames =
                SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(bytes)) {
            frames.write(PLAIN, 1, PLAIN.length - 1);
        }
        return bytes.toByteArray();
    }

    private static List<String> read(byte[] segment, long offset) throws IOException {
        StreamStateHandle handle = handle(segment);
        return readAll(
                SetInput.unindexed(
                                handle,
                                offset,
                                SegmentInput.open(handle.openInputStream(), handle, offset))
                        .decode(ChangeSetDecoder.ALL_KEY_GROUPS));
    }

    private static List<String> readAll(ChangeSetDecoder decoder) throws IOException {
        List<String> changes = new ArrayList<>();
        while (decoder.hasNext()) {
            changes.add(Changes.show(decoder.next()));
        }
        return changes;
    }
}
