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

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.fs.segment.SetInput;
import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.StoredSegment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many tasks read their sets of one compressed segment that has no index. */
class UnindexedReadingTest {
    private static final int SETS = 60;
    private static final int SET_BYTES = 200_000;

    private StoredSegment segment;
    private StreamStateHandle handle;
    private byte[] bytes;

    @BeforeEach
    void storeSegment() throws IOException {
        ChangeSet[] sets = new ChangeSet[SETS];
        for (int i = 0; i < SETS; i++) {
            byte[] change = new byte[SET_BYTES];
            new Random(i).nextBytes(change);
            Changes changes = new Changes();
            changes.add(i, change);
            sets[i] = changes.seal();
        }
        segment = new StoredSegment(false, sets);
        byte[] stored = asFlinkWrites(segment.bytes());
        segment.damage(any -> stored);
        // By this name it has no index.
        handle = new ByteStreamStateHandle("the-segment", stored);
        bytes = stored;
    }

    /** Frames that know nothing of change sets. */
    private static byte[] asFlinkWrites(byte[] plain) throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        written.write(1);
        try (OutputStream frames =
                SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(written)) {
            frames.write(plain, 1, plain.length - 1);
        }
        return written.toByteArray();
    }

    private static List<Integer> inOrder() {
        List<Integer> sets = new ArrayList<>();
        for (int i = 0; i < SETS; i++) {
            sets.add(i);
        }
        return sets;
    }

    private void read(ContentSource source, int set) throws IOException {
        SetInput input =
                source.open(
                        new SetRequest(
                                handle, segment.offset(set), ChangeSetDecoder.ALL_KEY_GROUPS));
        try {
            ChangeSetDecoder decoder = input.decode(ChangeSetDecoder.ALL_KEY_GROUPS);
            assertThat(decoder.hasNext()).isTrue();
            assertThat(decoder.next().getKeyGroup()).isEqualTo(set);
            assertThat(decoder.hasNext()).isFalse();
        } finally {
            input.content().close();
        }
    }

    @Test
    void takeOnePassInTheirOrder() throws IOException {
        UncachedSource source = new UncachedSource(segment);
        for (int set : inOrder()) {
            read(source, set);
        }
        assertThat(segment.delivered.get()).isLessThan(2L * bytes.length);
    }

    @Test
    void takeTwoPassesInAnyOrder() throws IOException {
        for (long seed = 0; seed < 5; seed++) {
            List<Integer> sets = inOrder();
            Collections.shuffle(sets, new Random(seed));
            segment.delivered.set(0);
            UncachedSource source = new UncachedSource(segment);
            for (int set : sets) {
                read(source, set);
            }
            assertThat(segment.delivered.get()).as("seed %d", seed).isLessThan(4L * bytes.length);
        }
    }

    /** What lies behind a damaged frame is not found by what that says of its length. */
    @Test
    void noDamageMovesAnotherSet() throws IOException {
        int damaged = 3;
        long first = (long) bytes.length / SETS * damaged;
        for (long bit = 8 * first; bit < 8 * (first + 70_000); bit += 4_001) {
            long flipped = bit;
            segment.damage(any -> StoredSegment.flip(bytes, flipped));
            UncachedSource source = new UncachedSource(segment);
            int failed = 0;
            for (int set = 0; set < damaged + 3; set++) {
                try {
                    read(source, set);
                } catch (SegmentCorruptedException e) {
                    failed++;
                }
            }
            assertThat(failed).as("bit %d", bit).isPositive();
            assertThatThrownBy(() -> read(source, SETS - 1))
                    .as("bit %d", bit)
                    .isInstanceOf(SegmentCorruptedException.class);
        }
    }
}
