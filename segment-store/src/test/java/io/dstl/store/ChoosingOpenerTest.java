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

import io.dstl.store.StoreProvider.ClientChoice;
import io.dstl.store.testing.ScriptedProvider;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.function.FunctionWithException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ChoosingOpenerTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> opened = Collections.synchronizedList(new ArrayList<>());
    private final List<String> loaded = Collections.synchronizedList(new ArrayList<>());
    private final SegmentOpener files =
            segment -> {
                opened.add(((FileStateHandle) segment).getFilePath().getPath());
                return null;
            };

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Its object store has a choice for schemes of S3, which is made against the direct client. */
    private ChoosingOpener opener(FunctionWithException<URI, FileSystem, IOException> fileSystems) {
        return opener(
                StoreProviders.of(new Configuration())
                        .with(new ScriptedProvider("s3", "s3a"), ClientChoice.FILESYSTEM),
                fileSystems);
    }

    private ChoosingOpener opener(
            StoreProviders providers,
            FunctionWithException<URI, FileSystem, IOException> fileSystems) {
        return new ChoosingOpener(
                providers,
                files,
                decision -> decision.open(null, null, null, null, null),
                uri -> {
                    loaded.add(uri.getScheme());
                    return fileSystems.apply(uri);
                });
    }

    private static FileStateHandle on(String path) {
        return new FileStateHandle(new Path(path), 1);
    }

    private CompletableFuture<Void> openElsewhere(ChoosingOpener opener, String path) {
        return CompletableFuture.runAsync(() -> openUnchecked(opener, path), threads);
    }

    private static void openUnchecked(ChoosingOpener opener, String path) {
        try {
            opener.open(on(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void decidesOnceForAScheme() throws Exception {
        ChoosingOpener opener = opener(uri -> new LocalFileSystem());
        opener.open(on("s3://b/one"));
        opener.open(on("s3://b/two"));
        opener.open(on("file:///three"));

        assertThat(opened).containsExactly("/one", "/two", "/three");
        assertThat(loaded).containsExactly("s3");
    }

    @Test
    void readsFromEachObjectStoreByItsOwnClient() throws Exception {
        ScriptedProvider one = new ScriptedProvider("one");
        ScriptedProvider other = new ScriptedProvider("other");
        StoreProviders providers =
                StoreProviders.of(new Configuration())
                        .with(one, ClientChoice.AUTO)
                        .with(other, ClientChoice.AUTO);
        try (ChoosingOpener opener = opener(providers, uri -> new LocalFileSystem())) {
            opener.open(on("one://b/first"));
            opener.open(on("other://b/second"));
            opener.open(on("one://b/third"));
            opener.open(on("file:///fourth"));
        }

        assertThat(one.opened()).containsExactly("/first", "/third");
        assertThat(other.opened()).containsExactly("/second");
        assertThat(opened).containsExactly("/fourth");
        assertThat(one.isClosed()).isTrue();
        assertThat(other.isClosed()).isTrue();
    }

    @Test
    void decidesAgainAfterAFailure() throws Exception {
        List<IOException> failures = new ArrayList<>();
        failures.add(new IOException("no plugin yet"));
        ChoosingOpener opener =
                opener(
                        uri -> {
                            if (!failures.isEmpty()) {
                                throw failures.remove(0);
                            }
                            return new LocalFileSystem();
                        });

        assertThatThrownBy(() -> opener.open(on("s3://b/one"))).hasMessage("no plugin yet");
        opener.open(on("s3://b/one"));
        assertThat(opened).containsExactly("/one");
    }

    /** Loading one may take as long as a connection to a service that does not answer. */
    @Test
    void whileAFileSystemIsLoadedOthersAreReadAndClosingDoesNotWait() throws Exception {
        CompletableFuture<ChoosingOpener> self = new CompletableFuture<>();
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        CompletableFuture<Boolean> underLock = new CompletableFuture<>();
        ChoosingOpener opener =
                opener(
                        uri -> {
                            if (uri.getScheme().equals("s3")) {
                                underLock.complete(Thread.holdsLock(self.join()));
                                loading.countDown();
                                await(answer);
                            }
                            return new LocalFileSystem();
                        });
        self.complete(opener);
        CompletableFuture<Void> slow = openElsewhere(opener, "s3://b/slow");
        loading.await();
        assertThat(underLock.join()).as("the lock of all schemes is held").isFalse();

        opener.open(on("s3a://b/other"));
        assertThat(opened).containsExactly("/other");
        opener.close();
        assertThat(slow).isNotDone();

        answer.countDown();
        assertThatThrownBy(slow::get).hasRootCauseMessage("The opener of segments is closed");
        assertThatThrownBy(() -> opener.open(on("s3a://b/other")))
                .hasMessage("The opener of segments is closed");
        assertThat(opened).containsExactly("/other");
    }

    @Test
    void thoseThatNeedTheSameFileSystemWaitForIt() throws Exception {
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        ChoosingOpener opener =
                opener(
                        uri -> {
                            loading.countDown();
                            await(answer);
                            return new LocalFileSystem();
                        });
        CompletableFuture<Void> first = openElsewhere(opener, "s3://b/one");
        loading.await();
        CompletableFuture<Void> second = waiting(opener, "s3://b/two");
        answer.countDown();
        first.get();
        second.get();

        assertThat(opened).containsExactlyInAnyOrder("/one", "/two");
        assertThat(loaded).containsExactly("s3");
    }

    static List<UnaryOperator<IOException>> interruptions() {
        return List.of(
                failure -> failure,
                failure -> new InterruptedIOException(),
                failure -> new IOException(new ClosedByInterruptException()),
                failure -> {
                    Thread.currentThread().interrupt();
                    return new IOException("no file system");
                });
    }

    /** The interruption is for that thread alone: its task was canceled, and theirs was not. */
    @ParameterizedTest
    @MethodSource("interruptions")
    void thoseThatWaitForAnInterruptedLoadDoItThemselves(UnaryOperator<IOException> told)
            throws Exception {
        CompletableFuture<Thread> loader = new CompletableFuture<>();
        ChoosingOpener opener =
                opener(
                        uri -> {
                            if (loader.complete(Thread.currentThread())) {
                                IOException interrupted = awaitInterruption();
                                throw told.apply(interrupted);
                            }
                            return new LocalFileSystem();
                        });
        CompletableFuture<Void> first = openElsewhere(opener, "s3://b/one");
        Thread loading = loader.get();
        List<CompletableFuture<Void>> others =
                List.of(waiting(opener, "s3://b/two"), waiting(opener, "s3://b/two"));
        loading.interrupt();

        assertThatThrownBy(first::get).hasCauseInstanceOf(UncheckedIOException.class);
        for (CompletableFuture<Void> other : others) {
            other.get();
        }
        assertThat(opened).containsExactly("/two", "/two");
        assertThat(loaded).containsExactly("s3", "s3");
    }

    /** Which is the same for all; that a service is slow is no interruption. */
    @Test
    void thoseThatWaitForALoadThatFailsFailToo() throws Exception {
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        ChoosingOpener opener =
                opener(
                        uri -> {
                            loading.countDown();
                            await(answer);
                            throw new SocketTimeoutException("no answer");
                        });
        CompletableFuture<Void> first = openElsewhere(opener, "s3://b/one");
        loading.await();
        CompletableFuture<Void> second = waiting(opener, "s3://b/two");
        answer.countDown();

        assertThatThrownBy(first::get).hasRootCauseMessage("no answer");
        assertThatThrownBy(second::get).hasRootCauseMessage("no answer");
        assertThat(loaded).containsExactly("s3");
    }

    /** Returns when it waits for another's load. */
    private CompletableFuture<Void> waiting(ChoosingOpener opener, String path) throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<Void> opening =
                CompletableFuture.runAsync(
                        () -> {
                            thread.complete(Thread.currentThread());
                            openUnchecked(opener, path);
                        },
                        threads);
        while (LockSupport.getBlocker(thread.get()) == null && !opening.isDone()) {
            Thread.onSpinWait();
        }
        return opening;
    }

    private static IOException awaitInterruption() {
        try {
            new CountDownLatch(1).await();
            throw new AssertionError("nobody counts down");
        } catch (InterruptedException e) {
            return new IOException(e);
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
