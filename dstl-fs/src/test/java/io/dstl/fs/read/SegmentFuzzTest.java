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

import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.fs.segment.SetInput;
import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.StoredSegment;
import io.dstl.store.SegmentOpener;
import io.dstl.testkit.FuzzRun;
import io.dstl.testkit.ManualTimer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Segments that are damaged at random, or made by somebody who knows the format and its checksums:
 * a reader comes to an end, says what is wrong, and takes no more memory than it does for a sound
 * segment of that size.
 */
class SegmentFuzzTest {

    private static final int SEEDS = 150;

    private static final int FOOTER_BYTES = 3 * Integer.BYTES + Long.BYTES;
    private static final int FIRST_SET = 1 + Integer.BYTES;
    private static final int POSITION = FIRST_SET + 2 * Long.BYTES;
    private static final int FIRST_BLOCK = FIRST_SET + 3 * Long.BYTES + 1;

    private static final long LARGE = 3L << 30;
    private static final Path NAME = new Path("/" + StoredSegment.indexed("large"));

    /** A sound segment of this test takes less than a tenth. */
    private static final long MEMORY = 32 << 20;

    @TempDir java.nio.file.Path directory;

    private static StoredSegment segment(FuzzRun run) throws IOException {
        int changes = 1 + run.random().nextInt(run.random().nextInt(8) == 0 ? 1000 : 20);
        return new StoredSegment(
                run.random().nextBoolean(),
                Changes.random(run.seed(), changes).seal(),
                Changes.random(-run.seed(), 5).seal());
    }

    @Test
    void whatIsDamagedIsReadRightOrNotAtAll() {
        FuzzRun.forSeeds(
                SEEDS,
                run -> {
                    StoredSegment segment = segment(run);
                    List<String> sound = read(run, segment, segment.handle(), 0);
                    byte[] damaged = run.damage(segment.bytes());
                    segment.damage(bytes -> damaged.clone());
                    List<String> read = read(run, segment, segment.handle(), 0);
                    if (read != null) {
                        assertThat(read).isEqualTo(sound);
                    }
                    assertThat(segment.open).as("open streams").hasValue(0);
                });
    }

    /** Its checksums are right, so what it holds is whatever its writer wanted. */
    @Test
    void aCraftedIndexTakesNoMoreThanASoundOne() {
        FuzzRun.forSeeds(
                SEEDS,
                run -> {
                    StoredSegment segment = segment(run);
                    byte[] sound = segment.bytes();
                    int footer = sound.length - FOOTER_BYTES;
                    int index = footer - indexBytes(sound);
                    byte[] crafted = run.damageWithin(sound, index, footer + Integer.BYTES);
                    segment.damage(bytes -> withSignedIndex(crafted));
                    read(run, segment, segment.handle(), run.random().nextInt(2));
                });
    }

    @Test
    void aCraftedBlockTakesNoMoreThanASoundOne() {
        FuzzRun.forSeeds(
                SEEDS,
                run -> {
                    StoredSegment segment = segment(run);
                    byte[] sound = segment.bytes();
                    ByteBuffer index =
                            ByteBuffer.wrap(
                                            sound,
                                            sound.length - FOOTER_BYTES - indexBytes(sound),
                                            indexBytes(sound))
                                    .slice();
                    int at = (int) index.getLong(POSITION);
                    int bytes = index.getInt(FIRST_BLOCK);
                    int end = at + Math.min(bytes, 1 + run.random().nextInt(40));
                    byte[] crafted = run.damageWithin(sound, at, end);
                    ByteBuffer.wrap(crafted)
                            .putInt(
                                    index.arrayOffset() + FIRST_BLOCK + Integer.BYTES,
                                    checksum(crafted, at, bytes));
                    segment.damage(any -> withSignedIndex(crafted));
                    read(run, segment, segment.handle(), 0);
                });
    }

    /** As Flink's own storage writes them: nothing but the frames has checksums. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSegmentWithoutAnIndexTakesNoMoreThanASoundOne(boolean compressed) {
        FuzzRun.forSeeds(
                SEEDS,
                run -> {
                    byte[] sound = withoutIndex(segment(run), compressed);
                    byte[] damaged =
                            run.random().nextBoolean()
                                    ? run.damage(sound)
                                    : run.damageWithin(sound, 0, Math.min(40, sound.length));
                    StreamStateHandle handle = new ByteStreamStateHandle("of-flink", damaged);
                    read(run, any -> handle.openInputStream(), handle, 0);
                });
    }

    /** In an object of 3 GiB, so that there is as much as the numbers say. */
    @ParameterizedTest
    @CsvSource({
        "false, index",
        "false, set",
        "false, set of all there can be",
        "false, block",
        "true, index",
        "true, set",
        "true, set of all there can be",
        "true, block",
        "true, frame",
    })
    void aLengthOfTwoGigabytesIsRefused(boolean compressed, String length) throws Exception {
        byte[] segment = new StoredSegment(compressed, Changes.random(7, 30).seal()).bytes();
        ByteBuffer crafted = ByteBuffer.wrap(segment);
        int footer = segment.length - FOOTER_BYTES;
        int index = footer - indexBytes(segment);
        int block = (int) crafted.getLong(index + POSITION);
        int blockBytes = crafted.getInt(index + FIRST_BLOCK);
        // The sets are where they were, from the end of the file.
        crafted.putLong(index + POSITION, LARGE - segment.length + block);
        switch (length) {
            case "index":
                crafted.putInt(footer, Integer.MAX_VALUE);
                break;
            case "set":
                crafted.putLong(index + FIRST_SET + Long.BYTES, Integer.MAX_VALUE);
                break;
            case "set of all there can be":
                crafted.putLong(index + FIRST_SET + Long.BYTES, Long.MAX_VALUE);
                break;
            case "block":
                crafted.putLong(index + POSITION, 1);
                crafted.putInt(index + FIRST_BLOCK, Integer.MAX_VALUE);
                break;
            default:
                crafted.putInt(block + 2 * Integer.BYTES, 0xFFFFFF7F);
                crafted.putInt(
                        index + FIRST_BLOCK + Integer.BYTES, checksum(segment, block, blockBytes));
        }
        byte[] signed = withSignedIndex(segment);
        StreamStateHandle handle = new FileStateHandle(NAME, LARGE);
        List<String> read =
                FuzzRun.read(
                        MEMORY,
                        SegmentCorruptedException.class,
                        () -> read(direct(any -> new EndOfLargeFile(signed)), handle, 0));
        assertThat(read).as("corrupt").isNull();
    }

    private static final class EndOfLargeFile extends FSDataInputStream {

        private final byte[] end;
        private long position;

        EndOfLargeFile(byte[] end) {
            this.end = end;
        }

        @Override
        public void seek(long target) {
            position = target;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public int read() {
            long atEnd = position++ - (LARGE - end.length);
            return atEnd < 0 ? 0 : atEnd < end.length ? end[(int) atEnd] & 0xFF : -1;
        }
    }

    private List<String> read(FuzzRun run, StoredSegment segment, StreamStateHandle handle, int set)
            throws Exception {
        return read(run, segment, handle, segment.offset(set));
    }

    /** Null for a segment that is refused. */
    private List<String> read(
            FuzzRun run, SegmentOpener store, StreamStateHandle handle, long offset)
            throws Exception {
        boolean cached = run.seed() % 2 == 0;
        return FuzzRun.read(
                MEMORY,
                SegmentCorruptedException.class,
                () -> {
                    try (ContentSource source = cached ? cache(run, store) : direct(store)) {
                        return read(source, handle, offset);
                    }
                });
    }

    private static ContentSource direct(SegmentOpener store) {
        return new UncachedSource(store);
    }

    private ContentSource cache(FuzzRun run, SegmentOpener store) {
        return new SegmentCache(
                store,
                new DownloadSettings(
                        List.of(directory.toFile()), Duration.ofMinutes(1), 1, 1 << 20),
                () -> "copy-" + run.seed(),
                new ManualTimer(),
                Runnable::run,
                path -> false);
    }

    private static List<String> read(ContentSource source, StreamStateHandle handle, long offset)
            throws IOException {
        List<String> changes = new ArrayList<>();
        SetInput input =
                source.open(new SetRequest(handle, offset, ChangeSetDecoder.ALL_KEY_GROUPS));
        try {
            ChangeSetDecoder decoder = input.decode(ChangeSetDecoder.ALL_KEY_GROUPS);
            while (decoder.hasNext()) {
                changes.add(Changes.show(decoder.next()));
            }
        } finally {
            input.content().close();
        }
        return changes;
    }

    private static int indexBytes(byte[] segment) {
        return ByteBuffer.wrap(segment).getInt(segment.length - FOOTER_BYTES);
    }

    /** With the checksum put right, if the index is where the footer says. */
    private static byte[] withSignedIndex(byte[] segment) {
        byte[] signed = segment.clone();
        int footer = signed.length - FOOTER_BYTES;
        long index = (long) footer - indexBytes(signed);
        if (index >= 0 && index <= footer) {
            int bytes = footer - (int) index + 2 * Integer.BYTES;
            ByteBuffer.wrap(signed)
                    .putInt(footer + 2 * Integer.BYTES, checksum(signed, (int) index, bytes));
        }
        return signed;
    }

    private static int checksum(byte[] bytes, int offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, offset, length);
        return (int) checksum.getValue();
    }

    /** The first change set, in a segment of its own. */
    private static byte[] withoutIndex(StoredSegment indexed, boolean compressed)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(compressed ? 1 : 0);
        SetInput set =
                new UncachedSource(indexed)
                        .open(new SetRequest(indexed.handle(), 0, ChangeSetDecoder.ALL_KEY_GROUPS));
        try (OutputStream out =
                compressed
                        ? SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(bytes)
                        : bytes) {
            set.content().transferTo(out);
        } finally {
            set.content().close();
        }
        return bytes.toByteArray();
    }
}
