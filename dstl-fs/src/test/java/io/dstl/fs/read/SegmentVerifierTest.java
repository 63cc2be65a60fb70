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
package io.dstl.fs.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.read.SegmentVerifier.Proof;
import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.StoredSegment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What passes is what was written, of segments with and without an index. */
class SegmentVerifierTest {

    private static final SortedSet<Long> BOTH = new TreeSet<>(List.of(0L, 31L));

    private static Proof verify(StoredSegment segment, long... offsets) throws IOException {
        TreeSet<Long> sets = new TreeSet<>();
        Arrays.stream(offsets).forEach(sets::add);
        return new SegmentVerifier(segment).verify(segment.handle(), sets);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void findsEveryFlippedBitAndEveryTruncation(boolean compressed) throws IOException {
        StoredSegment segment =
                new StoredSegment(
                        compressed, Changes.random(1, 6).seal(), Changes.random(2, 6).seal());
        long second = segment.offset(1);
        assertThat(verify(segment, 0, second)).isEqualTo(Proof.CHECKSUMS);
        for (long bit = 0; bit < segment.bytes().length * 8L; bit++) {
            long flipped = bit;
            segment.damage(bytes -> StoredSegment.flip(bytes, flipped));
            assertThatThrownBy(() -> verify(segment, 0, second))
                    .as("bit %d", bit)
                    .isInstanceOf(SegmentCorruptedException.class);
        }
        for (int length = 0; length < segment.bytes().length; length++) {
            int cut = length;
            segment.damage(bytes -> Arrays.copyOf(bytes, cut));
            assertThatThrownBy(() -> verify(segment, 0, second))
                    .as("%d bytes", length)
                    .isInstanceOf(IOException.class);
        }
        assertThat(segment.open).as("open streams").hasValue(0);
    }

    @Test
    void damageInSetsThatNobodyAsksForIsNone() throws IOException {
        StoredSegment segment =
                new StoredSegment(false, Changes.random(1, 6).seal(), Changes.random(2, 6).seal());
        long inSecond = 8L * (segment.offset(1) + 10);
        segment.damage(bytes -> StoredSegment.flip(bytes, inSecond));
        assertThat(verify(segment, 0)).isEqualTo(Proof.CHECKSUMS);
        assertThatThrownBy(() -> verify(segment, segment.offset(1)))
                .isInstanceOfSatisfying(
                        SegmentCorruptedException.class,
                        e -> {
                            assertThat(e.damage())
                                    .startsWith("in the change set at offset " + segment.offset(1))
                                    .doesNotContain("the-segment");
                            assertThat(e)
                                    .hasMessage(
                                            "Segment "
                                                    + segment.handle()
                                                            .getStreamStateHandleID()
                                                            .getKeyString()
                                                    + " is corrupt: "
                                                    + e.damage());
                        });
    }

    @Test
    void noSetBeginsAtAnotherOffset() throws IOException {
        StoredSegment segment = new StoredSegment(false, Changes.random(1, 6).seal());
        assertThatThrownBy(() -> verify(segment, 1)).hasMessageContaining("no change set of 1");
    }

    /** With one stream, and from one end to the other. */
    @Test
    void readsASegmentOnce() throws IOException {
        StoredSegment segment =
                new StoredSegment(
                        true, Changes.random(1, 3_000).seal(), Changes.random(2, 3_000).seal());
        verify(segment, 0, segment.offset(1));
        assertThat(segment.opened).hasValue(1);
        assertThat(segment.delivered.get())
                .as("the index, then all there is")
                .isBetween((long) segment.bytes().length, segment.bytes().length + (17L << 10));
    }

    /** Two sets of 31 bytes each, as Flink's own backend writes them. */
    private static StreamStateHandle unindexed(boolean compressed) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(compressed ? 1 : 0);
        OutputStream content =
                compressed
                        ? SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(bytes)
                        : bytes;
        DataOutputStream out = new DataOutputStream(content);
        byte[] change = new byte[15];
        new Random(1).nextBytes(change);
        for (int set = 0; set < 2; set++) {
            out.writeInt(1);
            out.writeInt(1);
            out.writeInt(set);
            out.writeInt(15);
            out.write(change);
        }
        out.close();
        return new ByteStreamStateHandle("stock", bytes.toByteArray());
    }

    private static Proof verifyUnindexed(byte[] bytes, SortedSet<Long> offsets) throws IOException {
        return new SegmentVerifier(StreamStateHandle::openInputStream)
                .verify(new ByteStreamStateHandle("stock", bytes), offsets);
    }

    private static byte[] bytes(StreamStateHandle handle) {
        return ((ByteStreamStateHandle) handle).getData();
    }

    @Test
    void ofSegmentsOfFlinksOwnWhatCanBeSeenIsSeen() throws IOException {
        byte[] plain = bytes(unindexed(false));
        assertThat(verifyUnindexed(plain, BOTH)).isEqualTo(Proof.STRUCTURE);
        assertThatCode(() -> verifyUnindexed(StoredSegment.flip(plain, 8 * 20), BOTH))
                .as("a flipped bit in a change")
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> verifyUnindexed(StoredSegment.flip(plain, 8 * 16), BOTH))
                .as("a flipped bit in a length")
                .isInstanceOf(SegmentCorruptedException.class);
        assertThatThrownBy(() -> verifyUnindexed(Arrays.copyOf(plain, plain.length - 1), BOTH))
                .as("cut short")
                .isInstanceOf(SegmentCorruptedException.class);
        assertThatThrownBy(() -> verifyUnindexed(new byte[plain.length + 2], BOTH))
                .as("zeros")
                .isInstanceOf(SegmentCorruptedException.class);
        assertThatThrownBy(() -> verifyUnindexed(plain, new TreeSet<>(List.of(0L, 15L))))
                .as("a set within another")
                .hasMessageContaining(
                        "at position 15 of the content, found no change set that begins here, of"
                                + " all up to the end at 62");
    }

    @Test
    void damageThatIsNotFoundAgainCameAboutOnTheWay() throws IOException {
        StreamStateHandle segment = unindexed(true);
        byte[] damaged = StoredSegment.flip(bytes(segment), 8L * bytes(segment).length - 20);
        AtomicInteger opened = new AtomicInteger();
        SegmentVerifier verifier =
                new SegmentVerifier(
                        stored ->
                                opened.incrementAndGet() == 1
                                        ? new ByteStreamStateHandle("stock", damaged)
                                                .openInputStream()
                                        : stored.openInputStream());
        assertThat(verifier.verify(segment, BOTH)).isEqualTo(Proof.CHECKSUMS);
        assertThat(opened).hasValue(2);
    }

    /** A flipped bit may say the same in another way: a copy of one zero for one of another. */
    @Test
    void ofCompressedOnesWhatPassesIsWhatWasWritten() throws IOException {
        byte[] compressed = bytes(unindexed(true));
        byte[] written = content(compressed);
        assertThat(verifyUnindexed(compressed, BOTH)).isEqualTo(Proof.CHECKSUMS);
        int found = 0;
        for (long bit = 0; bit < 8L * compressed.length; bit++) {
            byte[] damaged = StoredSegment.flip(compressed, bit);
            try {
                verifyUnindexed(damaged, BOTH);
                assertThat(content(damaged)).as("bit %d", bit).isEqualTo(written);
            } catch (SegmentCorruptedException e) {
                found++;
            }
        }
        assertThat(found).isGreaterThan(8 * compressed.length * 9 / 10);
    }

    private static byte[] content(byte[] compressed) throws IOException {
        InputStream frames = new ByteArrayInputStream(compressed, 1, compressed.length - 1);
        try (InputStream content =
                SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(frames)) {
            return content.readAllBytes();
        }
    }
}
