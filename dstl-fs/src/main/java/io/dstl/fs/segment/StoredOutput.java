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

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32C;

/** Counts and sums up what goes to a segment's file. Neither flushes nor closes the file. */
final class StoredOutput extends OutputStream {

    private final OutputStream file;
    private final CRC32C checksum = new CRC32C();
    private long position;

    StoredOutput(OutputStream file) {
        this.file = file;
    }

    /** Bytes written so far. */
    long position() {
        return position;
    }

    /** The CRC-32C of what was written since the last call. */
    int takeChecksum() {
        int taken = (int) checksum.getValue();
        checksum.reset();
        return taken;
    }

    @Override
    public void write(int b) throws IOException {
        file.write(b);
        checksum.update(b);
        position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        file.write(bytes, offset, length);
        checksum.update(bytes, offset, length);
        position += length;
    }
}
