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

import java.io.IOException;
import java.io.OutputStream;

/**
 * The bytes of one segment, to be stored.
 *
 * <p><b>Threading.</b> Any thread, several at once: attempts to store the same segment may overlap.
 */
public interface SegmentContent {

    /**
     * Writes the same bytes at each call. Neither flushes nor closes the stream.
     *
     * @throws IOException of the stream, or if the content was given up and its memory is gone
     */
    void writeTo(OutputStream out) throws IOException;

    /**
     * About how many bytes {@link #writeTo} writes; compression makes it fewer. Says what the time
     * of a put is to be compared with, no more.
     */
    default long expectedBytes() {
        return 0;
    }
}
