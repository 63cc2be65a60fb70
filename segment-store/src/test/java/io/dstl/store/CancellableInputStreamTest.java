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
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
