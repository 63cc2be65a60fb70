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

import io.dstl.secret.Redacted;
import java.io.EOFException;
import java.io.IOException;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the index of a segment that must have one. Stateless; any thread. */
public final class IndexedFile {

    private static final Logger LOG = LoggerFactory.getLogger(IndexedFile.class);

    private IndexedFile() {}

    /** One way to read the file. */
    private interface Reading {
        void read(long position, byte[] target) throws IOException;
    }

    /**
     * Reads the end of the file, once more if it is damaged.
     *
     * @param tailBytes to read at first; one request is enough if the index is not larger
     * @throws SegmentCorruptedException if there is no sound index
     */
    public static SegmentIndex index(StreamStateHandle segment, StoredBytes file, int tailBytes)
            throws IOException {
        try {
            return read(segment, file::read, tailBytes);
        } catch (EOFException | SegmentCorruptedException e) {
            LOG.warn(
                    "The index of segment {} is read again",
                    Redacted.of(segment.getStreamStateHandleID().getKeyString()),
                    e);
        }
        try {
            return read(segment, file::readAgain, tailBytes);
        } catch (EOFException e) {
            throw SegmentCorruptedException.ofIndex(
                    segment, "the end of the file", "an index, and the whole file before it", e);
        }
    }

    private static SegmentIndex read(StreamStateHandle segment, Reading file, int tailBytes)
            throws IOException {
        byte[] tail = readTail(segment, file, tailBytes);
        long needed = SegmentIndex.encodedBytes(tail, segment);
        if (needed > tail.length) {
            tail = readTail(segment, file, needed);
        }
        return SegmentIndex.decode(tail, segment);
    }

    private static byte[] readTail(StreamStateHandle segment, Reading file, long bytes)
            throws IOException {
        long size = Math.max(0, segment.getStateSize());
        byte[] tail = new byte[(int) Math.min(size, bytes)];
        file.read(size - tail.length, tail);
        return tail;
    }
}
