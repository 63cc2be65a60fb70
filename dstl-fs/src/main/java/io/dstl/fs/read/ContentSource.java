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

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Where readers get the content of segments from.
 *
 * <p><b>Threading.</b> Any thread; {@link #open} blocks for I/O. After {@link #close} a call throws
 * {@link IllegalStateException}.
 */
public interface ContentSource extends Closeable {

    /**
     * The uncompressed content of a segment from an offset on. The caller closes the stream.
     *
     * @param offset in bytes of uncompressed content
     * @throws IOException if the segment is missing, naming it, or cannot be read, or is corrupt
     */
    InputStream open(StreamStateHandle segment, long offset) throws IOException;
}
