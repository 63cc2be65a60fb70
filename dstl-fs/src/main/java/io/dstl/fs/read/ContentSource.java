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

import static java.util.Objects.requireNonNull;

import io.dstl.fs.segment.SetInput;
import io.dstl.secret.Redaction.Redacted;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Opens change sets for readers.
 *
 * <p><b>Threading.</b> Any thread; {@link #open} blocks for I/O. After {@link #close} a source that
 * keeps copies throws {@link IllegalStateException}; one that keeps none goes on.
 */
public interface ContentSource extends Closeable {

    /**
     * Opens a change set. The caller closes its content.
     *
     * <p><b>Verified.</b> Content of a segment with an index is handed out only after its checksum
     * was found right; a wrong block is downloaded once more.
     *
     * @param cancellation closing it, from any thread, ends the fetches for this set, now and when
     *     its content is read: both then fail
     * @throws IOException if the segment is missing, naming it, or cannot be read, or is corrupt
     */
    SetInput open(SetRequest set, CloseableRegistry cancellation) throws IOException;

    /** As {@link #open(SetRequest, CloseableRegistry)}, without a cancellation. */
    default SetInput open(SetRequest set) throws IOException {
        return open(set, new CloseableRegistry());
    }

    /**
     * Begins to fetch the sets that a restore is going to open, in this order, if the source
     * fetches ahead at all. Returns at once. An error here occurs again, and is reported, when the
     * set is opened.
     */
    default FetchAhead fetchAhead(List<SetRequest> sets) {
        return FetchAhead.NONE;
    }

    /**
     * The fetches ahead for one restore. Closing it ends fetches that no other restore needs, at
     * once. Any thread; never blocks for I/O that another thread began.
     */
    interface FetchAhead extends Closeable {

        /** Nothing is fetched ahead. */
        FetchAhead NONE =
                new FetchAhead() {
                    @Override
                    public void done(StreamStateHandle segment) {}

                    @Override
                    public void close() {}
                };

        /** One of the requested change sets of this segment has been read, which frees room. */
        void done(StreamStateHandle segment);

        @Override
        void close();
    }

    /** A change set that is going to be read, and the key groups that are needed of it. */
    final class SetRequest {

        private final StreamStateHandle segment;
        private final long offset;
        private final KeyGroupRange keyGroups;

        /**
         * @param offset of the set, in bytes of uncompressed content
         * @param keyGroups may be empty: the metadata is always needed
         */
        public SetRequest(StreamStateHandle segment, long offset, KeyGroupRange keyGroups) {
            this.segment = requireNonNull(segment);
            this.offset = offset;
            this.keyGroups = requireNonNull(keyGroups);
        }

        public StreamStateHandle segment() {
            return segment;
        }

        /** In bytes of uncompressed content. */
        public long offset() {
            return offset;
        }

        public KeyGroupRange keyGroups() {
            return keyGroups;
        }

        @Override
        public String toString() {
            return Redacted.of(segment) + " at " + offset + ", key groups " + keyGroups;
        }
    }
}
