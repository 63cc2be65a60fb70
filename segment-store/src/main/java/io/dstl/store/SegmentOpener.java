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
package io.dstl.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Locale;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Opens stored segments, of this job or of the one it is restored from. Any thread; blocks. */
public interface SegmentOpener {

    /**
     * Opens a segment. To read a part of it, seek first, and declare the end if the returned stream
     * is {@link RangedReads}.
     *
     * @throws IOException if there is no such segment, naming it
     */
    FSDataInputStream open(StreamStateHandle segment) throws IOException;

    /**
     * The failure to open a segment that is not there.
     *
     * @param segment its name, without secrets
     * @param bytes that the file should have
     */
    static FileNotFoundException missing(Object segment, long bytes, FileNotFoundException cause) {
        FileNotFoundException missing =
                new FileNotFoundException(
                        String.format(
                                Locale.ROOT,
                                "Segment %s is missing: a file of %d bytes was expected. Put it"
                                        + " back, for example from a version that the bucket keeps,"
                                        + " or restore another checkpoint; the command 'verify'"
                                        + " lists all that a checkpoint lacks",
                                segment,
                                bytes));
        missing.initCause(cause);
        return missing;
    }

    /**
     * An open segment that requests only as much as its reader declares. For the thread that reads.
     */
    interface RangedReads {

        /**
         * Later requests end there, so that no part of an answer is left over, and the connection
         * serves the next request. Reading on beyond that is possible, and takes another request.
         * Bytes already requested are read first.
         *
         * @param end exclusive, in the file
         */
        void readUntil(long end);
    }
}
