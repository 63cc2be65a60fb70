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

import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.fs.segment.SegmentIndex;
import io.dstl.fs.segment.SegmentIndex.IndexedFile;
import io.dstl.fs.segment.SegmentInput;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.segment.SetIndex;
import io.dstl.fs.segment.SetInput;
import io.dstl.fs.segment.WholeContent;
import io.dstl.store.SegmentOpener;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.SortedSet;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Reads change sets of segments, dstl's or Flink's own, to their ends, and drops the content: a set
 * that passes can be restored. Flink's own backend can't if an earlier set of a compressed segment
 * is damaged: it decompresses that set too, while this class reads the given sets only.
 *
 * <p>Keeps nothing, and holds one block and one change while it reads. Any thread.
 */
public final class SegmentVerifier {

    /** The whole index of most segments, and the whole of small ones. */
    private static final int TAIL_BYTES = 16 << 10;

    private final SegmentOpener opener;

    public SegmentVerifier(SegmentOpener opener) {
        this.opener = opener;
    }

    /** How an intact segment was verified. */
    public enum Proof {
        /** Each byte that is needed has passed a checksum. */
        CHECKSUMS,

        /** There are no checksums; every count and length adds up. */
        STRUCTURE
    }

    /**
     * Reads change sets of one segment, in one pass.
     *
     * @param offsets of the sets, in bytes of uncompressed content; not empty
     * @throws SegmentCorruptedException at the first damage, if another request finds it again
     * @throws IOException if the segment is missing, naming it, or can't be read
     */
    public Proof verify(StreamStateHandle segment, SortedSet<Long> offsets) throws IOException {
        return SegmentName.isIndexed(segment)
                ? verifyIndexed(segment, offsets)
                : verifyUnindexedTwice(segment, offsets);
    }

    private Proof verifyIndexed(StreamStateHandle segment, SortedSet<Long> offsets)
            throws IOException {
        try (StoreBytes file = new StoreBytes(opener, segment)) {
            SegmentIndex index = IndexedFile.index(segment, file, TAIL_BYTES);
            index.checkFrames(segment, file);
            for (long offset : offsets) {
                SetIndex set = index.set(segment, offset);
                file.expect(set.rangesOf(ChangeSetDecoder.ALL_KEY_GROUPS));
                // Not closed, as that would close the file.
                read(SetInput.indexed(segment, index, set, file));
            }
            return Proof.CHECKSUMS;
        }
    }

    private static void read(SetInput set) throws IOException {
        ChangeSetDecoder changes = set.decode(ChangeSetDecoder.ALL_KEY_GROUPS);
        while (changes.hasNext()) {
            changes.next();
        }
        set.content().transferTo(OutputStream.nullOutputStream());
    }

    private Proof verifyUnindexedTwice(StreamStateHandle segment, SortedSet<Long> offsets)
            throws IOException {
        try {
            return verifyUnindexed(segment, offsets);
        } catch (SegmentCorruptedException e) {
            // The damage may have occurred in transfer.
            return verifyUnindexed(segment, offsets);
        }
    }

    /**
     * Reads the whole segment: Flink's own reader may decompress it to its end, and without
     * checksums only the whole shows whether the lengths are right.
     */
    private Proof verifyUnindexed(StreamStateHandle segment, SortedSet<Long> offsets)
            throws IOException {
        try (InputStream content = SegmentInput.open(opener.open(segment), segment, 0)) {
            WholeContent.check(segment, content, offsets);
            return SegmentInput.isCompressed(content) ? Proof.CHECKSUMS : Proof.STRUCTURE;
        }
    }
}
