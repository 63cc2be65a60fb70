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

import io.dstl.fs.segment.FrameMarks.Mark;
import io.dstl.fs.segment.SnappyFrames.SnappyContent;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Opens segments as streams of their uncompressed content. Stateless; any thread. */
public final class SegmentInput {

    private SegmentInput() {}

    /**
     * The content of a segment from an offset on.
     *
     * @param file of the segment, at its beginning; closed with the content, and on failure
     * @param offset in bytes of uncompressed content
     * @throws SegmentCorruptedException if the segment ends before the offset, or byte 0 is wrong
     */
    public static InputStream open(FSDataInputStream file, StreamStateHandle segment, long offset)
            throws IOException {
        return open(file, segment, offset, new FrameMarks());
    }

    /**
     * As {@link #open(FSDataInputStream, StreamStateHandle, long)}; skips the content far ahead of
     * the offset if the segment is compressed and was opened before.
     *
     * @param marks frames seen in this segment only; gets those seen from now on
     */
    public static InputStream open(
            FSDataInputStream file, StreamStateHandle segment, long offset, FrameMarks marks)
            throws IOException {
        try {
            return contentFrom(file, segment, offset, marks);
        } catch (EOFException e) {
            file.close();
            throw endsBefore(segment, offset, e);
        } catch (Throwable t) {
            file.close();
            throw t;
        }
    }

    /**
     * @param content opened by this class
     */
    public static boolean isCompressed(InputStream content) {
        return content instanceof SnappyContent;
    }

    private static InputStream contentFrom(
            FSDataInputStream file, StreamStateHandle segment, long offset, FrameMarks marks)
            throws IOException {
        Optional<Mark> mark = marks.upTo(offset);
        if (mark.isPresent()) {
            file.seek(mark.get().file());
            InputStream content = SnappyContent.from(mark.get(), file, segment, offset, marks);
            skip(content, offset - mark.get().content());
            return content;
        }
        int flag = file.read();
        switch (flag) {
            case SegmentFormat.PLAIN:
                seek(file, segment, offset);
                return file;
            case SegmentFormat.SNAPPY:
                InputStream content = SnappyContent.fromBegin(file, segment, offset, marks);
                skip(content, offset);
                return content;
            default:
                throw new SegmentCorruptedException(
                        segment,
                        offset,
                        0,
                        flag < 0 ? "an empty file" : "a first byte of " + flag,
                        "a first byte of 0 (plain) or 1 (Snappy)",
                        null);
        }
    }

    /** Some file systems refuse to seek beyond the end; with others the reader finds the end. */
    private static void seek(FSDataInputStream file, StreamStateHandle segment, long offset)
            throws IOException {
        long position = SegmentFormat.HEADER_BYTES + offset;
        try {
            file.seek(position);
        } catch (IOException e) {
            if (position < segment.getStateSize()) {
                throw e;
            }
            throw new SegmentCorruptedException(
                    segment,
                    offset,
                    offset,
                    "a file of " + segment.getStateSize() + " bytes",
                    "a change set",
                    e);
        }
    }

    private static void skip(InputStream content, long count) throws IOException {
        long left = count;
        while (left > 0) {
            long skipped = content.skip(left);
            if (skipped <= 0) {
                throw new EOFException();
            }
            left -= skipped;
        }
    }

    private static SegmentCorruptedException endsBefore(
            StreamStateHandle segment, long offset, EOFException cause) {
        return new SegmentCorruptedException(
                segment, offset, offset, "the end of the file", "a change set", cause);
    }
}
