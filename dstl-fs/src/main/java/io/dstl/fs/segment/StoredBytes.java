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

import java.io.Closeable;
import java.io.IOException;
import java.util.Locale;

/**
 * The file of one segment, or a local copy of it, for one reader.
 *
 * <p><b>Threading.</b> One thread at a time, but for {@link #close()}, which a cancelling thread
 * may call during a read: the read then fails.
 */
public interface StoredBytes extends Closeable {

    /**
     * Fills the buffer. Reading on from the end of the last call costs no further request.
     *
     * @param position in the file
     * @throws java.io.EOFException if the file ends before
     */
    void read(long position, byte[] target) throws IOException;

    /** As {@link #read}, but from the store; replaces a local copy of these bytes. */
    void readAgain(long position, byte[] target) throws IOException;

    /** A part of a file, in bytes: the end is exclusive, and not before the start. */
    final class FileRange {

        private final long start;
        private final long end;

        public FileRange(long start, long end) {
            if (start < 0 || end < start) {
                throw new IllegalArgumentException("No range: from " + start + " to " + end);
            }
            this.start = start;
            this.end = end;
        }

        public long start() {
            return start;
        }

        /** Exclusive. */
        public long end() {
            return end;
        }

        public long bytes() {
            return end - start;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof FileRange
                    && start == ((FileRange) other).start
                    && end == ((FileRange) other).end;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(start) * 31 + Long.hashCode(end);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "[%d, %d)", start, end);
        }
    }
}
