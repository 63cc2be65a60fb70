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
package io.dstl.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.registry.JobManagerDeletions.Threads;
import io.dstl.testkit.ManualTimer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobManagerDeletionsTest {
    private final BlockingQueue<Runnable> attempts = new LinkedBlockingQueue<>();
    private final ManualTimer timer = new ManualTimer();
    private final JobManagerDeletions deletions =
            new JobManagerDeletions(() -> attempts::add, timer, 100);

    @TempDir private File directory;
    private Bucket bucket;

    @BeforeEach
    void openBucket() {
        bucket = new Bucket(directory);
    }

    @Test
    void theFirstCallerStaysUntilAllIsDeletedAndTheOthersReturn() throws Exception {
        FutureTask<?> first = giveUpOnAnotherThread(listed(bucket.put("segment")));
        Runnable one = attempts.take();
        deletions.delete(listed(bucket.put("segment")));
        assertThat(bucket.listing()).hasSize(2);

        one.run();
        assertThat(bucket.listing()).hasSize(1);
        assertThat(first.isDone()).isFalse();

        attempts.take().run();
        first.get();
        assertThat(bucket.listing()).isEmpty();
    }

    @Test
    void whoComesAfterItStaysInItsTurn() throws Exception {
        FutureTask<?> first = giveUpOnAnotherThread(listed(bucket.put("segment")));
        attempts.take().run();
        first.get();
        FutureTask<?> second = giveUpOnAnotherThread(listed(bucket.put("segment")));
        Runnable attempt = attempts.take();
        assertThat(second.isDone()).isFalse();

        attempt.run();
        second.get();
        assertThat(bucket.listing()).isEmpty();
    }

    /** Flink interrupts what has not ended with a JobManager in time. */
    @Test
    void anInterruptLetsTheCallerGo() throws Exception {
        FutureTask<Boolean> caller =
                new FutureTask<>(
                        () -> {
                            deletions.delete(listed(bucket.put("segment")));
                            return Thread.currentThread().isInterrupted();
                        });
        Thread thread = start(caller);
        Runnable attempt = attempts.take();
        thread.interrupt();
        assertThat(caller.get()).isTrue();

        attempt.run();
        assertThat(bucket.listing()).isEmpty();
    }

    /** It may have to delete what is in another store. */
    @Test
    void aDeletionThatHangsLetsTheCallerGoAndTheNextOneStays() throws Exception {
        FutureTask<?> first = giveUpOnAnotherThread(listed(bucket.put("segment")));
        Runnable hangs = attempts.take();
        timer.advance(JobManagerDeletions.LONGEST_STAY);
        first.get();
        FutureTask<?> second = giveUpOnAnotherThread(listed(bucket.put("segment")));
        attempts.take().run();
        assertThat(second.isDone()).isFalse();

        hangs.run();
        second.get();
        assertThat(bucket.listing()).isEmpty();
        assertThat(timer.size()).as("limits of those who have left").isZero();
    }

    @Test
    void nobodyStaysWithoutATimer() throws Exception {
        timer.failNext(new OutOfMemoryError("unable to create native thread"));
        deletions.delete(listed(bucket.put("segment")));
        assertThat(bucket.listing()).hasSize(1);

        attempts.take().run();
        assertThat(bucket.listing()).isEmpty();
    }

    @Test
    void aFailureIsTriedAgainAndNobodyWaitsForThat() throws Exception {
        Path inTheWay = refuse("a");
        FutureTask<?> caller = giveUpOnAnotherThread(handle("a"));
        attempts.take().run();
        caller.get();
        assertThat(bucket.listing()).containsExactly("a");

        Files.delete(inTheWay);
        timer.advance(Duration.ofSeconds(1));
        attempts.take().run();
        assertThat(bucket.listing()).isEmpty();
    }

    @Test
    void beyondTheMostThatWaitCallersDeleteByThemselves() throws Exception {
        JobManagerDeletions bounded = new JobManagerDeletions(() -> attempts::add, timer, 1);
        FutureTask<?> first = giveUpOnAnotherThread(bounded, listed(bucket.put("segment")));
        Runnable attempt = attempts.take();
        bounded.delete(listed(bucket.put("segment")));
        assertThat(bucket.listing()).hasSize(1);
        refuse("refused");
        assertThatThrownBy(() -> bounded.delete(handle("refused"))).isInstanceOf(IOException.class);

        attempt.run();
        first.get();
        assertThat(bucket.listing()).containsExactly("refused");
        FutureTask<?> next = giveUpOnAnotherThread(bounded, listed(bucket.put("segment")));
        attempts.take().run();
        next.get();
        assertThat(bucket.listing()).as("there is room again").containsExactly("refused");
    }

    /** Jobs of a session cluster may use several. */
    @Test
    void aStoreThatHangsKeepsNothingWaitingInAnother() throws Exception {
        BlockingQueue<BlockingQueue<Runnable>> stores = new LinkedBlockingQueue<>();
        JobManagerDeletions bounded =
                new JobManagerDeletions(
                        () -> {
                            BlockingQueue<Runnable> store = new LinkedBlockingQueue<>();
                            stores.add(store);
                            return store::add;
                        },
                        timer,
                        1);
        FutureTask<?> first = giveUpOnAnotherThread(bounded, in("host"));
        Runnable hanging = stores.take().take();

        bounded.delete(listed(bucket.put("segment")));

        assertThat(bucket.listing()).as("not by its caller").hasSize(1);
        stores.take().take().run();
        assertThat(bucket.listing()).isEmpty();
        hanging.run();
        first.get();
    }

    @Test
    void manyStoresTogetherAreBoundedToo() throws Exception {
        JobManagerDeletions bounded = new JobManagerDeletions(() -> attempts::add, timer, 2);
        FutureTask<?> first = giveUpOnAnotherThread(bounded, in("a"));
        attempts.take();
        for (String store : List.of("b", "c")) {
            bounded.delete(in(store));
            attempts.take();
        }
        bounded.delete(listed(bucket.put("segment")));
        assertThat(bucket.listing()).as("the fourth in all").hasSize(1);
        attempts.take();

        bounded.delete(listed(bucket.put("segment")));

        assertThat(bucket.listing()).as("the fifth by its caller").hasSize(1);
        assertThat(first.isDone()).isFalse();
    }

    private static LogSegmentHandle in(String store) {
        return listed(
                new FileStateHandle(
                        new org.apache.flink.core.fs.Path("hangs://" + store + "/segment"), 1));
    }

    /** However many wait in others. */
    @Test
    void aStoreKeepsToItsShareOnceTooManyWaitInAll() throws Exception {
        JobManagerDeletions bounded = new JobManagerDeletions(() -> attempts::add, timer, 4);
        // Counts for a moment more as the caller that it is: in a store that is far from full.
        FutureTask<?> first = giveUpOnAnotherThread(bounded, in("first"));
        attempts.take();
        for (String store : List.of("a", "a", "a", "b", "b", "b")) {
            bounded.delete(in(store));
            attempts.take();
        }

        for (int own = 0; own < 2; own++) {
            bounded.delete(in("c"));
            attempts.take();
        }
        assertThatThrownBy(() -> bounded.delete(in("c")))
                .as("the third is deleted by its caller")
                .isInstanceOf(IOException.class);
        assertThat(first.isDone()).isFalse();
    }

    /** A path may hold them, and this process does not know which texts are secret. */
    @Test
    void credentialsOfAFullStoreAreNotLogged() {
        assertThat(JobManagerDeletions.shownStore(in("key:SEC/RET@bucket").getFilePath()))
                .isEqualTo("hangs://***@bucket");
        assertThat(JobManagerDeletions.shownStore(handle("a").getFilePath())).isEqualTo("file:");
        assertThat(
                        JobManagerDeletions.shownStore(
                                new org.apache.flink.core.fs.Path("hdfs:///flink/a")))
                .isEqualTo("hdfs:");
    }

    /** A store that refuses deletions fills the queue as one does that is slow. */
    @Test
    void whatWaitsForItsNextAttemptCountsToo() throws Exception {
        JobManagerDeletions bounded = new JobManagerDeletions(() -> attempts::add, timer, 1);
        Path inTheWay = refuse("a");
        FutureTask<?> first = giveUpOnAnotherThread(bounded, handle("a"));
        attempts.take().run();
        first.get();
        bounded.delete(listed(bucket.put("segment")));
        assertThat(bucket.listing()).as("by its caller").containsExactly("a");

        Files.delete(inTheWay);
        timer.advance(Duration.ofSeconds(1));
        attempts.take().run();
        assertThat(bucket.listing()).isEmpty();
    }

    /** A large job truncates its log faster than a few threads delete. */
    @Test
    void moreThreadsDeleteABacklog() {
        CompletableFuture<Void> storeAnswers = new CompletableFuture<>();
        Threads threads = new Threads(new DaemonThreads("test"), timer);
        Runnable deletion = storeAnswers::join;
        try {
            for (int i = 1; i < Threads.FEW + Threads.BACKLOG; i++) {
                threads.execute(deletion);
            }
            assertThat(threads.size()).isEqualTo(Threads.FEW);

            threads.execute(deletion);
            assertThat(threads.size()).isEqualTo(Threads.MANY);
        } finally {
            storeAnswers.complete(null);
        }
    }

    @Test
    void threadsThatHangAreReplaced() throws Exception {
        CompletableFuture<Void> storeAnswers = new CompletableFuture<>();
        CountDownLatch hanging = new CountDownLatch(Threads.FEW);
        CompletableFuture<Void> deleted = new CompletableFuture<>();
        Threads threads = new Threads(new DaemonThreads("test"), timer);
        try {
            for (int i = 0; i < Threads.FEW; i++) {
                threads.execute(
                        () -> {
                            hanging.countDown();
                            storeAnswers.join();
                        });
            }
            hanging.await();
            threads.execute(() -> deleted.complete(null));
            timer.advance(WatchedPool.ALLOWED);
            deleted.join();
        } finally {
            storeAnswers.complete(null);
        }
    }

    /** A deletion that is both queued and refused would be counted as ended twice. */
    @Test
    void aBacklogThatGetsNoMoreThreadsIsLeftToTheFew() throws Exception {
        DaemonThreads few = new DaemonThreads("test");
        AtomicInteger started = new AtomicInteger();
        Threads threads =
                new Threads(
                        work -> {
                            if (started.incrementAndGet() > Threads.FEW) {
                                throw new Error("unable to create native thread");
                            }
                            return few.newThread(work);
                        },
                        timer);
        CompletableFuture<Void> storeAnswers = new CompletableFuture<>();
        int deletions = Threads.FEW + Threads.BACKLOG + 1;
        CountDownLatch deleted = new CountDownLatch(deletions);
        try {
            for (int i = 0; i < deletions; i++) {
                threads.execute(
                        () -> {
                            storeAnswers.join();
                            deleted.countDown();
                        });
            }
        } finally {
            storeAnswers.complete(null);
        }
        deleted.await();
    }

    @Test
    void whatFindsNoThreadIsNotWaitedFor() throws Exception {
        JobManagerDeletions withoutThreads =
                new JobManagerDeletions(
                        () ->
                                attempt -> {
                                    throw new OutOfMemoryError("unable to create native thread");
                                },
                        timer,
                        1);
        withoutThreads.delete(listed(bucket.put("segment")));
        assertThat(bucket.listing()).hasSize(1);
    }

    /** HDFS has one class for all that its server says. */
    @Test
    void namesTheClassThatAServerNamedAndNoMessage() {
        String named = "org.apache.hadoop.hdfs.server.namenode.SafeModeException";
        Exception failure = new IOException("secret", new RemoteException(named, "secret"));

        assertThat(JobManagerDeletions.withoutMessages(failure))
                .hasMessageStartingWith(
                        "java.io.IOException, caused by "
                                + RemoteException.class.getName()
                                + " of "
                                + named
                                + ";");
    }

    /** As that of Hadoop. */
    public static final class RemoteException extends IOException {
        private final String className;

        RemoteException(String className, String message) {
            super(message);
            this.className = className;
        }

        public String getClassName() {
            return className;
        }
    }

    private FutureTask<?> giveUpOnAnotherThread(LogSegmentHandle segment) {
        return giveUpOnAnotherThread(deletions, segment);
    }

    private static FutureTask<?> giveUpOnAnotherThread(
            JobManagerDeletions to, LogSegmentHandle segment) {
        FutureTask<?> caller =
                new FutureTask<>(
                        () -> {
                            to.delete(segment);
                            return null;
                        });
        start(caller);
        return caller;
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work, "flink-io");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A folder that is not empty cannot be deleted as a file can. */
    private Path refuse(String name) throws IOException {
        Path folder = Files.createDirectory(directory.toPath().resolve(name));
        return Files.createFile(folder.resolve("in the way"));
    }

    private LogSegmentHandle handle(String name) {
        return listed(
                new FileStateHandle(
                        org.apache.flink.core.fs.Path.fromLocalFile(new File(directory, name)), 1));
    }

    private static LogSegmentHandle listed(FileStateHandle segment) {
        return (LogSegmentHandle) LogSegmentHandle.of(segment);
    }
}
