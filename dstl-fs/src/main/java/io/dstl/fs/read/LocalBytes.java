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

import io.dstl.fs.segment.StoredBytes;
import io.dstl.fs.segment.StoredBytes.FileRange;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.core.fs.CloseableRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a segment's local copy and has missing bytes downloaded, and those that the disk does not
 * give back. Owns a descriptor of the file.
 */
final class LocalBytes implements StoredBytes {

    private static final Logger LOG = LoggerFactory.getLogger(LocalBytes.class);

    private final PartialCopy copy;
    private final FileChannel file;
    private final CloseableRegistry cancellation;
    private final Runnable onClose;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Whether it was logged that the disk fails. */
    private boolean said;

    /**
     * @param cancellation closing it ends a download that a read has begun
     * @param onClose called once
     */
    LocalBytes(
            PartialCopy copy, FileChannel file, CloseableRegistry cancellation, Runnable onClose) {
        this.copy = copy;
        this.file = file;
        this.cancellation = cancellation;
        this.onClose = onClose;
    }

    @Override
    public void read(long position, byte[] target) throws IOException {
        copy.provide(List.of(new FileRange(position, position + target.length)), cancellation);
        try {
            readFile(position, target);
        } catch (ClosedChannelException | EOFException e) {
            throw e;
        } catch (IOException e) {
            if (!said) {
                said = true;
                LOG.warn("{} can't be read, so its bytes come from the store once more", copy, e);
            }
            readAgain(position, target);
        }
    }

    private void readFile(long position, byte[] target) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(target);
        while (left.hasRemaining()) {
            if (file.read(left, position + left.position()) < 0) {
                throw new EOFException(copy + " ends early");
            }
        }
    }

    @Override
    public void readAgain(long position, byte[] target) throws IOException {
        copy.replace(position, target, cancellation);
    }

    @Override
    public void close() throws IOException {
        try {
            file.close();
        } finally {
            if (ended.compareAndSet(false, true)) {
                onClose.run();
            }
        }
    }
}
