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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.fs.segment.SetInput;
import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.StoredSegment;
import io.dstl.testkit.ManualTimer;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a store or a disk has damaged is never handed out, with and without the cache. */
class SegmentIntegrityTest {

    @TempDir Path directory;

    private int caches;

    private static StoredSegment small(boolean compressed) throws IOException {
        return new StoredSegment(
                compressed, Changes.random(1, 6).seal(), Changes.random(2, 6).seal());
    }

    private static StoredSegment large(long seed, boolean compressed) throws IOException {
        return new StoredSegment(
                compressed, Changes.random(seed, 3000).seal(), Changes.random(-seed, 300).seal());
    }

    private ContentSource source(StoredSegment segment, boolean cached) {
        if (!cached) {
            return new UncachedSource(segment);
        }
        caches++;
        return new SegmentCache(
                segment,
                new DownloadSettings(
                        List.of(directory.toFile()), Duration.ofMinutes(1), 1, 1 << 20),
                () -> "copy-" + caches,
                new ManualTimer(),
                Runnable::run,
                path -> false);
    }

    private static List<String> read(ContentSource source, StoredSegment segment, int set)
            throws IOException {
        return read(source, segment, set, ChangeSetDecoder.ALL_KEY_GROUPS);
    }

    private static List<String> read(
            ContentSource source, StoredSegment segment, int set, KeyGroupRange keyGroups)
            throws IOException {
        List<String> changes = new ArrayList<>();
        SetInput input =
                source.open(new SetRequest(segment.handle(), segment.offset(set), keyGroups));
        try {
            ChangeSetDecoder decoder = input.decode(keyGroups);
            while (decoder.hasNext()) {
                changes.add(Changes.show(decoder.next()));
            }
        } finally {
            input.content().close();
        }
        return changes;
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void everyFlippedBitIsDetectedOrOfNoSet(boolean compressed, boolean cached) throws Exception {
        StoredSegment segment = small(compressed);
        List<String> sound = read(source(segment, cached), segment, 0);
        List<String> soundToo = read(source(segment, cached), segment, 1);
        int beforeSets = compressed ? 1 + 10 : 1;
        int ofFrame = compressed ? 4 : 0;
        int undetected = 0;
        for (long bit = 0; bit < segment.bytes().length * 8L; bit++) {
            long flipped = bit;
            segment.damage(bytes -> StoredSegment.flip(bytes, flipped));
            ContentSource source = source(segment, cached);
            List<String> first = readOrNone(source, segment, 0);
            List<String> second = readOrNone(source, segment, 1);
            source.close();
            if (!first.isEmpty() && !second.isEmpty()) {
                undetected++;
                assertThat(first).as("bit %d", bit).isEqualTo(sound);
                assertThat(second).as("bit %d", bit).isEqualTo(soundToo);
            }
            assertThat(segment.open).as("open streams").hasValue(0);
        }
        assertThat(undetected).isEqualTo((beforeSets + ofFrame) * 8);
    }

    private static List<String> readOrNone(ContentSource source, StoredSegment segment, int set)
            throws IOException {
        try {
            return read(source, segment, set);
        } catch (SegmentCorruptedException detected) {
            return List.of();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33})
    void aFlippedBitOfALargeSegmentIsFoundBeforeAnythingOfItsBlock(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 40; i++) {
            StoredSegment segment = large(seed, i % 2 == 0);
            boolean cached = i % 4 < 2;
            List<String> sound = read(new UncachedSource(segment), segment, 0);
            long bit = (long) (random.nextDouble() * segment.bytes().length * 8);
            segment.damage(bytes -> StoredSegment.flip(bytes, bit));
            List<String> read = new ArrayList<>();
            try (ContentSource source = source(segment, cached)) {
                SetRequest request =
                        new SetRequest(segment.handle(), 0, ChangeSetDecoder.ALL_KEY_GROUPS);
                ChangeSetDecoder decoder = source.open(request).decode(request.keyGroups());
                while (decoder.hasNext()) {
                    read.add(Changes.show(decoder.next()));
                }
            } catch (SegmentCorruptedException detected) {
                assertThat(detected).hasMessageContaining("the-segment");
            }
            assertThat(sound)
                    .as("seed %d, bit %d", seed, bit)
                    .satisfies(all -> assertThat(all.subList(0, read.size())).isEqualTo(read));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void namesObjectSetAndOffset(boolean cached) throws Exception {
        StoredSegment segment = small(false);
        long inSecond = 1 + segment.offset(1) + 6;
        segment.damage(bytes -> StoredSegment.flip(bytes, inSecond * 8));
        ContentSource source = source(segment, cached);

        assertThat(read(source, segment, 0)).isNotEmpty();
        assertThatThrownBy(() -> read(source, segment, 1))
                .isInstanceOf(SegmentCorruptedException.class)
                .hasMessageContaining("the-segment")
                .hasMessageContaining("in the change set at offset " + segment.offset(1))
                .hasMessageContaining("also when it was read again");
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aFreshDownloadHealsWhatWasDamagedOnTheWay(boolean compressed, boolean cached)
            throws Exception {
        StoredSegment segment = large(7, compressed);
        List<String> sound = read(new UncachedSource(segment), segment, 0);
        int damagedStreams = segment.opened.get() + 1;
        segment.damage(
                bytes ->
                        segment.opened.get() == damagedStreams
                                ? StoredSegment.flip(bytes, bytes.length * 4L)
                                : bytes);
        ContentSource source = source(segment, cached);

        assertThat(read(source, segment, 0)).isEqualTo(sound);
        int requests = segment.opened.get();
        if (cached) {
            assertThat(read(source, segment, 0)).isEqualTo(sound);
            assertThat(segment.opened).as("the copy was repaired").hasValue(requests);
        }
        assertThat(segment.open).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFreshDownloadHealsTheIndex(boolean cached) throws Exception {
        StoredSegment segment = small(true);
        List<String> sound = read(new UncachedSource(segment), segment, 0);
        int damagedStream = segment.opened.get() + 1;
        segment.damage(
                bytes ->
                        segment.opened.get() == damagedStream
                                ? StoredSegment.flip(bytes, bytes.length * 8L - 20)
                                : bytes);

        assertThat(read(source(segment, cached), segment, 0)).isEqualTo(sound);
        assertThat(segment.open).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTruncatedSegmentIsCorruptWhereverItEnds(boolean cached) throws Exception {
        StoredSegment segment = small(true);
        for (int length = 0; length < segment.bytes().length; length++) {
            int end = length;
            segment.damage(bytes -> Arrays.copyOf(bytes, end));
            try (ContentSource source = source(segment, cached)) {
                assertThatThrownBy(() -> read(source, segment, 0))
                        .as("%d bytes", end)
                        .isInstanceOf(SegmentCorruptedException.class)
                        .hasMessageContaining("the-segment");
            }
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
        assertThat(segment.open).hasValue(0);
    }

    /** A damaged footer turns verification off for nobody. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSegmentWithoutItsIndexIsRefused(boolean cached) throws Exception {
        StoredSegment segment = small(false);
        segment.damage(
                bytes -> {
                    Arrays.fill(bytes, bytes.length - 24, bytes.length, (byte) 0);
                    return bytes;
                });

        assertThatThrownBy(() -> read(source(segment, cached), segment, 0))
                .isInstanceOf(SegmentCorruptedException.class)
                .hasMessageContaining("an index");
    }

    /** What a disk has damaged after the download counts as damaged on the way. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLocalCopyThatRotsIsReplaced(boolean compressed) throws Exception {
        StoredSegment segment = large(5, compressed);
        ContentSource source = source(segment, true);
        List<String> sound = read(source, segment, 0);
        Path copy =
                PathsBelow.files(directory).stream()
                        .filter(file -> !file.toString().endsWith(".lock"))
                        .findFirst()
                        .get();
        Files.write(copy, StoredSegment.flip(Files.readAllBytes(copy), 8000));

        assertThat(read(source, segment, 0)).isEqualTo(sound);
        assertThat(Arrays.copyOfRange(Files.readAllBytes(copy), 100, 2000))
                .isEqualTo(Arrays.copyOfRange(segment.bytes(), 100, 2000));
    }

    @ParameterizedTest
    @CsvSource({"41, false", "42, true", "43, false", "44, true"})
    void readingSomeKeyGroupsIsReadingAllAndLeavingOutTheOthers(long seed, boolean compressed)
            throws Exception {
        Random random = new Random(seed);
        StoredSegment segment = large(seed, compressed);
        for (boolean cached : new boolean[] {false, true}) {
            for (int set = 0; set < 2; set++) {
                List<String> all = read(new UncachedSource(segment), segment, set);
                for (int i = 0; i < 20; i++) {
                    int start = random.nextInt(128);
                    KeyGroupRange range =
                            KeyGroupRange.of(start, start - 1 + random.nextInt(129 - start));
                    List<String> needed = new ArrayList<>();
                    for (String change : all) {
                        int keyGroup = Integer.parseInt(change.substring(0, change.indexOf(':')));
                        if (keyGroup == -1 || range.contains(keyGroup)) {
                            needed.add(change);
                        }
                    }

                    assertThat(read(source(segment, cached), segment, set, range))
                            .as("seed %d, set %d, %s, cached %s", seed, set, range, cached)
                            .isEqualTo(needed);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aQuarterOfTheKeyGroupsIsAQuarterOfTheBytes(boolean cached) throws Exception {
        Changes changes = new Changes();
        changes.addMetadata(new byte[100]);
        Random random = new Random(3);
        for (int i = 0; i < 7936; i++) {
            byte[] change = new byte[1000];
            random.nextBytes(change);
            changes.add(i % 128, change);
        }
        StoredSegment segment = new StoredSegment(false, changes.seal());

        List<String> read = read(source(segment, cached), segment, 0, KeyGroupRange.of(64, 95));

        assertThat(read).hasSize(1 + 7936 / 4);
        long tail = cached ? 1 << 20 : 16 << 10;
        assertThat(segment.delivered.get())
                .isLessThan(segment.bytes().length / 4 + tail + 4 * (64 << 10));
        assertThat(segment.opened.get()).isLessThanOrEqualTo(2);
    }
}
