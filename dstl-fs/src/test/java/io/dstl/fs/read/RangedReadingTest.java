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

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SetInput;
import io.dstl.fs.segment.StoredBytes.FileRange;
import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.StoredSegment;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reader of some key groups asks for their parts, and for no byte that it doesn't read. */
class RangedReadingTest {

    /** A set of them is too long for what lies between to be read along. */
    private static final int CHANGES = 600;

    private static final KeyGroupRange SOME = KeyGroupRange.of(60, 63);

    @TempDir Path directory;

    private StoredSegment segment;

    @BeforeEach
    void storeSegment() throws IOException {
        segment = new StoredSegment(false, set(1), set(2), set(3));
    }

    private static ChangeSet set(long seed) throws IOException {
        Random random = new Random(seed);
        Changes changes = new Changes();
        for (int i = 0; i < CHANGES; i++) {
            byte[] change = new byte[10_000];
            random.nextBytes(change);
            changes.add(random.nextInt(128), change);
        }
        changes.addMetadata(new byte[] {1, 2, 3});
        return changes.seal();
    }

    private SetRequest request(int set) {
        return new SetRequest(segment.handle(), segment.offset(set), SOME);
    }

    private void read(ContentSource source) throws IOException {
        for (int set = 0; set < 3; set++) {
            SetInput input = source.open(request(set), new CloseableRegistry());
            try {
                ChangeSetDecoder decoder = input.decode(SOME);
                while (decoder.hasNext()) {
                    decoder.next();
                }
            } finally {
                input.content().close();
            }
        }
    }

    private void assertNothingAskedForInVain() {
        long asked = segment.answers.stream().mapToLong(FileRange::bytes).sum();
        assertThat(asked).isEqualTo(segment.delivered.get());
        assertThat(asked).isLessThan(segment.handle().getStateSize() / 4);
        assertThat(segment.brokenOff).hasValue(0);
    }

    @Test
    void fromTheStore() throws IOException {
        read(new UncachedSource(segment));

        assertNothingAskedForInVain();
        // The index, and for each set its metadata and the key groups.
        assertThat(segment.answers).hasSize(7);
    }

    @Test
    void intoALocalCopy() throws IOException {
        SegmentCache cache =
                new SegmentCache(
                        segment,
                        new DownloadSettings(
                                List.of(directory.toFile()), Duration.ofMinutes(1), 1, 1 << 20),
                        () -> "copy",
                        new ManualTimer(),
                        Runnable::run,
                        path -> false);
        read(cache);

        assertNothingAskedForInVain();
        assertThat(segment.answers).hasSize(7);
    }
}
