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
package io.dstl.store.testing;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.core.fs.FSDataInputStream;

/** Reads until it is told to fail, and lets closing wait for that, as streams of Hadoop do. */
public final class LockingStream extends FSDataInputStream {
    private final boolean interruptible;
    private final CountDownLatch read = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * @param interruptible whether an interrupt ends a read as well
     */
    public LockingStream(boolean interruptible) {
        this.interruptible = interruptible;
    }

    /** Until somebody reads. */
    public void awaitRead() throws InterruptedException {
        read.await();
    }

    /** Makes reads fail. */
    public void answer() {
        answered.countDown();
    }

    public void awaitClosed() throws InterruptedException {
        closed.await();
    }

    @Override
    public void seek(long desired) {}

    @Override
    public long getPos() {
        return 0;
    }

    @Override
    public synchronized int read() throws IOException {
        read.countDown();
        boolean interrupted = false;
        while (answered.getCount() > 0) {
            try {
                answered.await();
            } catch (InterruptedException e) {
                interrupted = true;
                if (interruptible) {
                    break;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        throw new InterruptedIOException();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        return read();
    }

    @Override
    public synchronized void close() {
        closed.countDown();
    }
}
