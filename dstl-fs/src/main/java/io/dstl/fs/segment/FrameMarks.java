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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.Optional;

/**
 * Positions of frames in one compressed segment, noted as they are read. The content can be read
 * from each of them without the frames before. So reading change sets in order takes little more
 * than one pass over the segment, and in any other order little more than two.
 *
 * <p>Holds up to {@value #MOST} positions, 16 bytes each, whatever the size of the segment. When
 * full, drops every second position and notes half as many from then on. Any thread.
 */
public final class FrameMarks {
    static final int MOST = 128;

    private static final int FEWEST = 4;

    /** Positions of the first byte of each frame in uncompressed content, ascending. */
    @GuardedBy("this")
    private long[] contents = new long[FEWEST];

    /** Positions of their headers in the file. */
    @GuardedBy("this")
    private long[] files = new long[FEWEST];

    @GuardedBy("this")
    private int count;

    /** Least distance between two positions, in bytes of content. */
    @GuardedBy("this")
    private long apart = 1;

    /** The start of a frame. Immutable. */
    static final class Mark {
        private final long content;
        private final long file;

        private Mark(long content, long file) {
            this.content = content;
            this.file = file;
        }

        /** Position of its first byte in uncompressed content. */
        long content() {
            return content;
        }

        /** Position of its header in the file. */
        long file() {
            return file;
        }
    }

    /**
     * Notes a frame, unless one is known there, after it, or shortly before it.
     *
     * @param content position of its first byte, in uncompressed content
     * @param file position of its header
     */
    synchronized void passed(long content, long file) {
        if (count > 0 && content < contents[count - 1] + apart) {
            return;
        }
        if (count == MOST) {
            thinOut();
        } else if (count == contents.length) {
            contents = Arrays.copyOf(contents, 2 * count);
            files = Arrays.copyOf(files, 2 * count);
        }
        contents[count] = content;
        files[count] = file;
        count++;
    }

    @GuardedBy("this")
    private void thinOut() {
        apart = 2 * (contents[count - 1] - contents[0]) / (count - 1);
        count /= 2;
        for (int i = 0; i < count; i++) {
            contents[i] = contents[2 * i];
            files[i] = files[2 * i];
        }
    }

    /** The last known frame at or before a position of uncompressed content. */
    synchronized Optional<Mark> upTo(long content) {
        for (int i = count - 1; i >= 0; i--) {
            if (contents[i] <= content) {
                return Optional.of(new Mark(contents[i], files[i]));
            }
        }
        return Optional.empty();
    }
}
