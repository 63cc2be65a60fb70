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

import io.dstl.fs.read.UncachedSource;
import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.fs.segment.SegmentIndex;
import io.dstl.fs.segment.SegmentInput;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.segment.SetIndex;
import io.dstl.secret.Redaction;
import io.dstl.tools.checkpoint.Directory;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * What one request tells of a segment: its end, where there is an index; else its first byte.
 * Immutable.
 */
final class SegmentFacts {
    private final FileStatus file;
    private final boolean compressed;
    private final int sets;
    private final long contentBytes;
    private final String damage;
    private boolean unreachable;

    private SegmentFacts(
            FileStatus file, boolean compressed, int sets, long contentBytes, String damage) {
        this.file = file;
        this.compressed = compressed;
        this.sets = sets;
        this.contentBytes = contentBytes;
        this.damage = damage;
    }

    private static SegmentFacts ofNone(FileStatus file, Exception cause, Redaction redaction) {
        SegmentFacts facts = new SegmentFacts(file, false, 0, 0, Damages.text(cause, redaction));
        facts.unreachable = !(cause instanceof SegmentCorruptedException);
        return facts;
    }

    /**
     * Never fails: what is wrong is among the facts. Any thread.
     *
     * @return empty if it was deleted since it was listed
     */
    static Optional<SegmentFacts> of(FileStatus file, UncachedSource source, Redaction redaction) {
        StreamStateHandle segment = new FileStateHandle(file.getPath(), file.getLen());
        try {
            if (!SegmentName.isIndexed(segment)) {
                return Optional.of(new SegmentFacts(file, isCompressed(segment), 0, 0, ""));
            }
            SegmentIndex index = source.index(segment);
            return Optional.of(
                    new SegmentFacts(
                            file,
                            index.isCompressed(),
                            index.sets().size(),
                            index.sets().stream().mapToLong(SetIndex::bytes).sum(),
                            ""));
        } catch (IOException | RuntimeException e) {
            return Directory.isGone(file.getPath())
                    ? Optional.empty()
                    : Optional.of(ofNone(file, e, redaction));
        }
    }

    /**
     * By the first bytes.
     *
     * @throws SegmentCorruptedException if they are none that a segment begins with
     * @throws IOException if they can't be read
     */
    static boolean isCompressed(StreamStateHandle segment) throws IOException {
        try (InputStream content = SegmentInput.open(segment.openInputStream(), segment, 0)) {
            return SegmentInput.isCompressed(content);
        }
    }

    Path path() {
        return file.getPath();
    }

    long bytes() {
        return file.getLen();
    }

    /** In ms since the epoch, by the store's clock. */
    long writtenAt() {
        return file.getModificationTime();
    }

    boolean isIndexed() {
        return SegmentName.isIndexed(new FileStateHandle(file.getPath(), file.getLen()));
    }

    boolean isCompressed() {
        return compressed;
    }

    /** 0 if only reading all of it would tell. */
    int sets() {
        return sets;
    }

    /** Without compression; 0 if only reading all of it would tell. */
    long contentBytes() {
        return contentBytes;
    }

    /** What is wrong with it; empty if nothing is. */
    String damage() {
        return damage;
    }

    /** Whether that is the store's doing: nothing is known of what is in the segment. */
    boolean isUnreachable() {
        return unreachable;
    }
}
