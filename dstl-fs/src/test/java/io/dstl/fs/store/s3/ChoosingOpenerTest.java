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
package io.dstl.fs.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.option.S3ClientChoice;
import io.dstl.fs.store.SegmentOpener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.function.FunctionWithException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

    private ChoosingOpener opener(FunctionWithException<URI, FileSystem, IOException> fileSystems) {
        return new ChoosingOpener(
                S3ClientChoice.FILESYSTEM,
                new Configuration(),
                files,
                decision -> {
                    throw new AssertionError("the direct client is not to be used");
                },
                uri -> {
                    loaded.add(uri.getScheme());
                    return fileSystems.apply(uri);
                });
    }

    private static FileStateHandle on(String path) {
        return new FileStateHandle(new Path(path), 1);
    }

    private CompletableFuture<Void> openElsewhere(ChoosingOpener opener, String path) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        opener.open(on(path));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                threads);
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
        CompletableFuture<Void> second = openElsewhere(opener, "s3://b/two");
        answer.countDown();
        first.get();
        second.get();

        assertThat(opened).containsExactlyInAnyOrder("/one", "/two");
        assertThat(loaded).containsExactly("s3");
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
