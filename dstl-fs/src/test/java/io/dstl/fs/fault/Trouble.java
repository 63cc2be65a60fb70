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
package io.dstl.fs.fault;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataInputStreamWrapper;

/**
 * What goes wrong with a {@link TroubledFileSystem}, and what is seen of it. Nothing goes wrong at
 * first. Safe for any thread.
 */
final class Trouble {

    private static final Map<String, Trouble> BY_NAME = new ConcurrentHashMap<>();

    private final AtomicInteger creates = new AtomicInteger();
    private final AtomicInteger openStreams = new AtomicInteger();
    private final CountDownLatch deletion = new CountDownLatch(1);
    private final AtomicInteger deletesToFail = new AtomicInteger();
    private volatile IntPredicate failingCreates = number -> false;
    private volatile Error error;
    private volatile CountDownLatch hanging = new CountDownLatch(0);
    private volatile long readable = Long.MAX_VALUE;

    static Trouble named(String name) {
        return BY_NAME.computeIfAbsent(name, any -> new Trouble());
    }

    /**
     * @param which numbers of the calls to create a file that fail; the first is 0
     */
    void failCreates(IntPredicate which) {
        failingCreates = which;
    }

    /** The next deletions, as many as given, fail. */
    void failDeletes(int number) {
        deletesToFail.set(number);
    }

    void throwOnCreate(Error thrown) {
        error = thrown;
    }

    /** Creating a file takes until {@link #goOn}. */
    void hang() {
        hanging = new CountDownLatch(1);
    }

    void goOn() {
        hanging.countDown();
    }

    /** Each stream breaks after so many bytes. */
    void breakReadsAfter(long bytes) {
        readable = bytes;
    }

    /** Input streams that nobody has closed. */
    int openStreams() {
        return openStreams.get();
    }

    /** Waits until a file has been deleted. */
    boolean sawDeletionWithin(long seconds) throws InterruptedException {
        return deletion.await(seconds, TimeUnit.SECONDS);
    }

    void beforeCreate() throws IOException {
        int number = creates.getAndIncrement();
        try {
            hanging.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (error != null) {
            throw error;
        }
        if (failingCreates.test(number)) {
            throw new IOException("injected: create number " + number);
        }
    }

    void beforeDelete() throws IOException {
        if (deletesToFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IOException("injected: delete");
        }
    }

    void afterDelete() {
        deletion.countDown();
    }

    FSDataInputStream watched(FSDataInputStream stream) {
        openStreams.incrementAndGet();
        return new WatchedStream(stream);
    }

    private final class WatchedStream extends FSDataInputStreamWrapper {
        private long left = readable;
        private boolean closed;

        WatchedStream(FSDataInputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            if (left-- <= 0) {
                throw new IOException("injected: the connection breaks");
            }
            return super.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left <= 0) {
                throw new IOException("injected: the connection breaks");
            }
            int count = super.read(target, offset, (int) Math.min(length, left));
            left -= Math.max(count, 0);
            return count;
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                openStreams.decrementAndGet();
                super.close();
            }
        }
    }
}
