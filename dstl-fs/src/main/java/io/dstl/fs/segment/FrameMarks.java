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
 * Where frames of one compressed segment begin, noted as they are read. From each of them its
 * content can be read on without that which lies before, so that change sets which are read in
 * their order take one pass over the segment, and those in any other order two.
 *
 * <p>Holds up to {@value #MOST} places, whatever the size of the segment: then every second one is
 * given up, and they are noted half as often. Any thread.
 */
public final class FrameMarks {
    static final int MOST = 64;

    private static final int FEWEST = 4;

    @GuardedBy("this")
    private Mark[] marks = new Mark[FEWEST];

    @GuardedBy("this")
    private int count;

    /** In bytes of content, between two of them at least. */
    @GuardedBy("this")
    private long apart = 1;

    /** The begin of a frame. Immutable. */
    static final class Mark {
        private final long content;
        private final long file;

        private Mark(long content, long file) {
            this.content = content;
            this.file = file;
        }

        /** Of its first byte, in uncompressed content. */
        long content() {
            return content;
        }

        /** Of its header, in the file. */
        long file() {
            return file;
        }
    }

    /**
     * Notes a frame, unless one is known that begins there, behind it or close ahead of it.
     *
     * @param content position of its first byte, in uncompressed content
     * @param file position of its header
     */
    synchronized void passed(long content, long file) {
        if (count > 0 && content < marks[count - 1].content + apart) {
            return;
        }
        if (count == MOST) {
            thinOut();
        } else if (count == marks.length) {
            marks = Arrays.copyOf(marks, 2 * count);
        }
        marks[count++] = new Mark(content, file);
    }

    @GuardedBy("this")
    private void thinOut() {
        apart = 2 * (marks[count - 1].content - marks[0].content) / (count - 1);
        count /= 2;
        for (int i = 0; i < count; i++) {
            marks[i] = marks[2 * i];
        }
    }

    /** The last one at or ahead of a position of uncompressed content. */
    synchronized Optional<Mark> upTo(long content) {
        for (int i = count - 1; i >= 0; i--) {
            if (marks[i].content <= content) {
                return Optional.of(marks[i]);
            }
        }
        return Optional.empty();
    }
}
