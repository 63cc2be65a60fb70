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
package io.dstl.testkit;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.fs.FSDataInputStream;

/** Reads until it is closed, whatever interrupts: as a socket does. */
public final class SilentStream extends FSDataInputStream {
    private final CompletableFuture<Void> read = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private long position;

    /** Until somebody reads. */
    public void awaitRead() throws Exception {
        read.get(2, TimeUnit.MINUTES);
    }

    public boolean isClosed() {
        return closed.isDone();
    }

    @Override
    public void seek(long desired) {
        position = desired;
    }

    @Override
    public long getPos() {
        return position;
    }

    @Override
    public int read() throws IOException {
        read.complete(null);
        closed.join();
        throw new IOException("The connection was closed");
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        return read();
    }

    @Override
    public void close() {
        closed.complete(null);
    }
}
