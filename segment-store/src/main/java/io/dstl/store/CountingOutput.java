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

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Counts the bytes that pass, and tells of them: of a large array in pieces, as one call of the
 * stream below may block for as long as a slow store takes to take it. One thread at a time.
 */
final class CountingOutput extends FilterOutputStream {

    private static final int PIECE_BYTES = 64 << 10;

    private final Runnable onBytes;
    private long count;

    /**
     * @param onBytes runs each time that the stream has taken bytes
     */
    CountingOutput(OutputStream out, Runnable onBytes) {
        super(out);
        this.onBytes = onBytes;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
        count++;
        onBytes.run();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; ) {
            int piece = Math.min(length - done, PIECE_BYTES);
            out.write(bytes, offset + done, piece);
            done += piece;
            count += piece;
            onBytes.run();
        }
    }

    long count() {
        return count;
    }
}
