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
package io.dstl.store.s3;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.zip.CRC32C;
import okio.BufferedSink;
import okio.ByteString;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * The bytes of a local file. Each digest that is asked for costs one more reading of the file, once
 * but for MD5. Used by one thread at a time.
 */
final class FileBody extends ObjectBody {

    /** Also the size of the memory outside of the heap that the JDK keeps for a reading thread. */
    private static final int PIECE_BYTES = 64 << 10;

    private final FileChannel content;
    private final long bytes;
    private final Runnable onBytes;

    private Optional<Integer> crc32c = Optional.empty();
    private Optional<String> sha256 = Optional.empty();

    /**
     * @param content does not change
     * @param onBytes runs each time the transport has taken bytes; must not block
     */
    FileBody(FileChannel content, Runnable onBytes) throws IOException {
        this.content = content;
        this.bytes = content.size();
        this.onBytes = onBytes;
    }

    @Override
    int crc32cBits() throws IOException {
        if (crc32c.isEmpty()) {
            CRC32C crc = new CRC32C();
            read(crc::update);
            crc32c = Optional.of((int) crc.getValue());
        }
        return crc32c.get();
    }

    @Override
    String md5() throws IOException {
        return digest("MD5").base64();
    }

    @Override
    String sha256() throws IOException {
        if (sha256.isEmpty()) {
            sha256 = Optional.of(digest("SHA-256").hex());
        }
        return sha256.get();
    }

    private ByteString digest(String algorithm) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has " + algorithm, e);
        }
        read(digest::update);
        return ByteString.of(digest.digest());
    }

    @Override
    public long contentLength() {
        return bytes;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
        read(
                piece -> {
                    sink.write(piece);
                    onBytes.run();
                });
    }

    /**
     * @param reader takes all bytes of each piece
     */
    private void read(ThrowingConsumer<ByteBuffer, IOException> reader) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        for (long position = 0; position < bytes; position += piece.limit()) {
            piece.clear();
            if (content.read(piece, position) < 0) {
                throw new EOFException("A file has become shorter than " + bytes + " bytes");
            }
            reader.accept(piece.flip());
        }
    }
}
