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

import io.dstl.store.testing.CountedNames;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Puts to a file system, and what else is asked of it. */
class PutContextTest {

    @TempDir Path base;

    private final ManualExecutor uploads = new ManualExecutor();
    private int otherRequests;

    private PutContext context(Executor executor) throws IOException {
        ManualTimer timer = new ManualTimer();
        RetrySettings once = new RetrySettings(1, Optional.empty(), Duration.ZERO);
        return new PutContext(
                new FileSystemSegmentStoreTest().create(base, executor),
                PutRules.of(once, Long.MAX_VALUE, () -> 0.5, timer::nanos, PutObserver.NONE),
                timer,
                new CountedNames("segment-"),
                new Cleanups(Runnable::run, timer),
                new PutObserver() {
                    @Override
                    public void otherRequests(int sent) {
                        otherRequests += sent;
                    }
                });
    }

    private List<String> files() throws IOException {
        try (Stream<Path> paths = Files.walk(base)) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> path.getFileName().toString())
                    .collect(Collectors.toList());
        }
    }

    @Test
    void opensAndDeletesWhatWasPutUnderItsNames() throws Exception {
        PutContext context = context(uploads);
        CompletableFuture<FileStateHandle> one = PutRace.put(context, out -> out.write(1));
        CompletableFuture<FileStateHandle> other = PutRace.put(context, out -> out.write(2));
        PutRace.put(context, out -> out.write(3));
        uploads.runAll();
        assertThat(files()).containsExactlyInAnyOrder("segment-1", "segment-2", "segment-3");
        assertThat(otherRequests).isZero();

        try (InputStream content = context.open(other.get())) {
            assertThat(content.readAllBytes()).containsExactly(2);
        }
        context.delete(one.get());
        assertThat(context.deleteBatch(List.of(one.get(), other.get()))).isEmpty();
        assertThat(files()).containsExactly("segment-3");
        assertThat(otherRequests).isEqualTo(4);
    }

    @Test
    void aPutThatIsGivenUpWhileItRunsLeavesNothing() throws Exception {
        CompletableFuture<CompletableFuture<FileStateHandle>> self = new CompletableFuture<>();
        self.complete(
                PutRace.put(
                        context(uploads),
                        out -> {
                            out.write(1);
                            self.join().cancel(false);
                        }));
        uploads.runAll();

        assertThat(self.join()).isCancelled();
        assertThat(files()).isEmpty();
    }

    @Test
    void withoutThreadsThePutFails() throws Exception {
        PutContext context =
                context(
                        task -> {
                            throw new RejectedExecutionException("closed");
                        });

        assertThat(PutRace.put(context, out -> out.write(1))).isCompletedExceptionally();
    }
}
