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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.materializer.UploadLane;
import io.dstl.materializer.UploadLane.Ticket;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JobBulkheadsTest {
    private static final int LIMIT = 4;
    private static final int PER_JOB = 3;
    private static final int HANGING = 2;

    private final JobID hung = new JobID();
    private final JobID other = new JobID();
    private final JobID third = new JobID();

    /** Started and not run yet, in that order. */
    private final List<ManualThread> started = new ArrayList<>();

    private final List<String> done = new ArrayList<>();
    private boolean outOfThreads;
    private boolean isLastThread;
    private boolean noMemoryForThreads;

    private final ManualTimer timer = new ManualTimer();
    private final JobBulkheads bulkheads =
            new JobBulkheads("dstl-test", LIMIT, PER_JOB, HANGING, this::thread, timer);

    @Test
    void aJobWithoutAThreadAlwaysGetsOne() {
        submit(hung, 10);
        submit(third, 10);
        assertThat(started).as("no more than the process has").hasSize(PER_JOB + 1);

        submit(other, 2);
        assertThat(started).as("and the first of a job").hasSize(PER_JOB + 2);
        started.get(PER_JOB + 1).runHere();
        assertThat(done).containsExactly("0 of " + other);
    }

    @Test
    void roomGoesToTheJobWithTheFewestThreads() {
        submit(hung, 10);
        submit(third, 10);
        started.get(0).runHere();
        started.get(1).runHere();
        assertThat(ofJob(third)).as("one at first, then what the other gave free").isEqualTo(2);
        assertThat(bulkheads.running()).isEqualTo(LIMIT);
    }

    @Test
    void theWorkOfAJobIsDoneInItsOrder() {
        submit(other, 5);
        runAll();

        assertThat(done)
                .extracting(text -> text.charAt(0))
                .containsExactly('0', '1', '2', '3', '4');
    }

    @Test
    void whatIsGivenUpIsInterruptedAndItsRoomIsAnothers() {
        List<Ticket> tickets = submit(hung, PER_JOB + 1);
        assertThat(started).hasSize(PER_JOB);

        tickets.get(0).giveUp();
        assertThat(started.get(0).interrupted).isTrue();
        assertThat(started).hasSize(PER_JOB + 1);
        assertThat(bulkheads.running()).isEqualTo(PER_JOB);

        runAll();
        assertThat(bulkheads.running()).isZero();
        assertThat(bulkheads.jobs()).isZero();
    }

    @Test
    void whatIsGivenUpBeforeItBeginsNeverBegins() {
        List<Ticket> tickets = submit(other, PER_JOB + 2);
        tickets.get(PER_JOB).giveUp();
        runAll();
        tickets.forEach(Ticket::giveUp);

        assertThat(done).hasSize(PER_JOB + 1).doesNotContain(PER_JOB + " of " + other);
        assertThat(bulkheads.jobs()).isZero();
    }

    @Test
    void aJobOfWhichTooMuchHangsIsRefusedUntilSomeOfItEnds() {
        submit(hung, HANGING).forEach(Ticket::giveUp);
        assertThatThrownBy(() -> submit(hung, 1))
                .isInstanceOf(UploadLane.FullException.class)
                .hasMessageContaining("2 uploads, or flushes of RocksDB, of job " + hung)
                .hasMessageContaining("execution.checkpointing.dir")
                .hasMessageContaining("named dstl-test of job " + hung)
                .hasMessageContaining("restart the TaskManager");
        submit(other, 1);

        started.get(0).runHere();
        submit(hung, 1);
        runAll();
        assertThat(done).hasSize(HANGING + 2);
        assertThat(bulkheads.jobs()).isZero();
    }

    @Test
    void whatFindsNoThreadIsToldAndTakesNoRoom() {
        outOfThreads = true;
        assertThatThrownBy(() -> submit(other, 1)).isInstanceOf(OutOfMemoryError.class);
        outOfThreads = false;
        assertThat(bulkheads.jobs()).isZero();

        submit(other, 1);
        runAll();
        assertThat(done).hasSize(1);
    }

    /** Whose thread ends has nothing to do with it: an error there would end the process. */
    @Test
    void whatWaitsIsDoneLaterWhereNoThreadCouldBeMadeForIt() {
        submit(hung, PER_JOB + 1);
        noMemoryForThreads = true;
        started.get(0).runHere();
        assertThatThrownBy(() -> submit(other, 1)).isInstanceOf(OutOfMemoryError.class);
        noMemoryForThreads = false;
        assertThat(bulkheads.running()).isEqualTo(PER_JOB - 1);

        submit(other, 1);
        runAll();
        assertThat(done).contains(PER_JOB + " of " + hung).hasSize(PER_JOB + 2);
        assertThat(bulkheads.jobs()).isZero();
    }

    /** A full checkpoint would fail for a thread that it does not need yet. */
    @Test
    void whatHasToWaitAnywayIsNotRefusedForOtherWorkThatGotNoThread() {
        submit(other, PER_JOB);
        submit(hung, 2);
        outOfThreads = true;
        started.get(PER_JOB).runHere();
        assertThatCode(() -> submit(other, 1)).doesNotThrowAnyException();

        outOfThreads = false;
        timer.advance(Duration.ofMinutes(1));
        runAll();
        assertThat(done).hasSize(PER_JOB + 3);
        assertThat(bulkheads.jobs()).isZero();
    }

    /** A full checkpoint is submitted once: no other work of its job comes before it is over. */
    @Test
    void whatWaitsIsDoneLaterWhereNothingElseComesOrEnds() {
        submit(hung, PER_JOB + 1);
        outOfThreads = true;
        runAll();
        assertThat(done).hasSize(PER_JOB);
        timer.advance(Duration.ofMinutes(1));
        outOfThreads = false;
        timer.advance(Duration.ofMinutes(1));
        runAll();

        assertThat(done).contains(PER_JOB + " of " + hung);
        assertThat(bulkheads.jobs()).isZero();
        assertThat(timer.size()).isZero();
    }

    @Test
    void whatGotTheLastThreadGoesOnWhereOtherWorkGetsNone() {
        submit(hung, PER_JOB + 1);
        outOfThreads = true;
        started.get(0).runHere();
        outOfThreads = false;
        isLastThread = true;
        submit(other, 1);
        assertThat(ofJob(other)).isOne();
        assertThat(started).noneMatch(thread -> thread.interrupted);

        isLastThread = false;
        outOfThreads = false;
        runAll();
        assertThat(done).hasSize(PER_JOB + 2);
        assertThat(bulkheads.jobs()).isZero();
    }

    @Test
    void theProcessesOwnGoOnBesideAJobThatHangs() throws Exception {
        CountDownLatch bucket = new CountDownLatch(1);
        List<Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            tickets.add(SystemScheduler.uploads(hung).submit(() -> await(bucket)));
            SystemScheduler.deletions(hung).execute(() -> await(bucket));
        }
        InheritableThreadLocal<String> ofTheTask = new InheritableThreadLocal<>();
        ofTheTask.set("a user's class");
        FutureTask<Thread> upload = new FutureTask<>(Thread::currentThread);
        SystemScheduler.uploads(other).submit(upload);
        assertThat(upload.get().getName()).isEqualTo("dstl-materialization of job " + other);

        FutureTask<String> inherited = new FutureTask<>(ofTheTask::get);
        Executor deletions = SystemScheduler.deletions(other);
        deletions.execute(inherited);
        assertThat(inherited.get()).isNull();

        upload.get().join();
        bucket.countDown();
        tickets.forEach(Ticket::giveUp);
        ofTheTask.remove();
    }

    @Test
    void aProcessMaterializesAtATimeForHalfAsManyTasksAsItHasProcessors() {
        int limit = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        AtomicInteger begun = new AtomicInteger();
        List<UploadLane.Turn> turns = new ArrayList<>();
        for (int i = 0; i < limit + 3; i++) {
            UploadLane.Turn turn = SystemScheduler.uploads(other).turn(() -> 0);
            turn.await(begun::incrementAndGet);
            turn.claim();
            turns.add(turn);
        }

        assertThat(begun.get()).isBetween(1, limit);
        // Those that wait first: they would begin.
        Collections.reverse(turns);
        turns.forEach(UploadLane.Turn::end);
    }

    private Thread thread(String threadName, Runnable work) {
        if (noMemoryForThreads) {
            throw new OutOfMemoryError("Java heap space");
        }
        return new ManualThread(threadName, work);
    }

    private static void await(CountDownLatch latch) {
        boolean opened = false;
        while (!opened) {
            try {
                latch.await();
                opened = true;
            } catch (InterruptedException e) {
                opened = latch.getCount() == 0;
            }
        }
    }

    private List<Ticket> submit(JobID job, int number) {
        List<Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String name = i + " of " + job;
            tickets.add(bulkheads.submit(job, () -> done.add(name)));
        }
        return tickets;
    }

    private long ofJob(JobID job) {
        return started.stream().filter(thread -> thread.getName().endsWith(job.toString())).count();
    }

    private void runAll() {
        for (int i = 0; i < started.size(); i++) {
            started.get(i).runHere();
        }
    }

    /** Is never started: runs once, on the thread of the test. */
    private final class ManualThread extends Thread {
        private final Runnable work;
        private boolean interrupted;
        private boolean ran;

        ManualThread(String name, Runnable work) {
            super(name);
            this.work = work;
        }

        @Override
        public void start() {
            if (outOfThreads) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            started.add(this);
            outOfThreads = isLastThread;
        }

        void runHere() {
            if (!ran) {
                ran = true;
                work.run();
            }
        }

        @Override
        public void interrupt() {
            interrupted = true;
        }
    }
}
