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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.testing.LockingStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.core.fs.FSDataInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CancellableInputStreamTest {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    @Test
    void closingEndsAReadThatKeepsTheStreamsLock() throws Exception {
        closeWhileItReads(new LockingStream(true));
    }

    @Test
    void closingDoesNotWaitForAReadThatIgnoresInterrupts() throws Exception {
        closeWhileItReads(new LockingStream(false));
    }

    /** As Flink's stream of Hadoop, which goes on for ever there. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 99})
    void seeksToNothingBehindTheEnd(int length) throws Exception {
        try (CancellableInputStream stream =
                new CancellableInputStream(new SkippingStream(length))) {
            assertThatThrownBy(() -> stream.seek(100))
                    .isInstanceOf(EOFException.class)
                    .hasMessage("The file ends " + (100 - length) + " bytes early");
        }
    }

    @Test
    void seeksByTheStreamsOwnMeansWhereItDoesNotSkip() throws Exception {
        long far = (1 << 20) + 1;
        try (CancellableInputStream stream = new CancellableInputStream(new SkippingStream(100))) {
            stream.seek(100);
            assertThat(stream.getPos()).isEqualTo(100);
            stream.seek(0);
            assertThat(stream.getPos()).isZero();
            stream.seek(far);
            assertThat(stream.getPos()).isEqualTo(far);
        }
    }

    /** Skips nothing behind its end, and nothing now and then; goes back and far ahead. */
    private static final class SkippingStream extends FSDataInputStream {
        private final int length;
        private long position;
        private boolean skips;

        SkippingStream(int length) {
            this.length = length;
        }

        @Override
        public void seek(long target) {
            long ahead = target - position;
            assertThat(ahead < 0 || ahead > 1 << 20).as("%s bytes are skipped", ahead).isTrue();
            position = target;
        }

        @Override
        public long skip(long bytes) {
            skips = !skips;
            long skipped = skips ? Math.max(0, Math.min(bytes / 2, length - position)) : 0;
            position += skipped;
            return skipped;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public int read() {
            return position < length ? (int) (position++ & 0xFF) : -1;
        }
    }

    /** The thread is one of a pool, and what it does next must not be interrupted. */
    private void closeWhileItReads(LockingStream stream) throws Exception {
        CancellableInputStream cancellable = new CancellableInputStream(stream);
        CompletableFuture<Boolean> interrupted =
                CompletableFuture.supplyAsync(
                        () -> {
                            assertThatThrownBy(cancellable::read).isInstanceOf(IOException.class);
                            return Thread.currentThread().isInterrupted();
                        },
                        thread);
        stream.awaitRead();

        cancellable.close();

        stream.answer();
        assertThat(interrupted.get()).isFalse();
        stream.awaitClosed();
        assertThatThrownBy(cancellable::read).hasMessage("The stream was closed");
    }
}
