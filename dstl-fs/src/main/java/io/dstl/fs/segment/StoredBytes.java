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

/**
 * The file of one segment, or a local copy of it, for one reader.
 *
 * <p><b>Threading.</b> One thread at a time, but for {@link #close()}, which a cancelling thread
 * may call while another reads: that one's call then fails.
 */
public interface StoredBytes extends Closeable {

    /**
     * Fills the buffer. Reading on where the last call ended costs no further request.
     *
     * @param position in the file
     * @throws java.io.EOFException if the file ends before
     */
    void read(long position, byte[] target) throws IOException;

    /** As {@link #read}, but from the store, past and in place of whatever is kept locally. */
    void readAgain(long position, byte[] target) throws IOException;
}
