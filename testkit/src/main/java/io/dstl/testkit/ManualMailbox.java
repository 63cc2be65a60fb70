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

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * A task's mailbox whose mails run when the test says so, on its thread, in the order they came in.
 *
 * <p>Threading: any thread may post; all else is for the thread of the test.
 */
public final class ManualMailbox implements MailboxExecutor {

    private final BlockingQueue<Mail> mails = new LinkedBlockingQueue<>();
    private final boolean direct;
    private volatile boolean held;
    private volatile boolean closed;
    private volatile Optional<Error> failure = Optional.empty();

    /** Keeps what is posted until it is asked to run it. */
    public ManualMailbox() {
        this(false);
    }

    private ManualMailbox(boolean direct) {
        this.direct = direct;
    }

    /** One that runs a mail as it is posted, on the thread that posts it, unless it is held. */
    public static ManualMailbox direct() {
        return new ManualMailbox(true);
    }

    /**
     * @throws RejectedExecutionException once it is closed
     */
    @Override
    public void execute(
            MailOptions options,
            ThrowingRunnable<? extends Exception> command,
            String description,
            Object... descriptionArguments) {
        if (closed) {
            throw new RejectedExecutionException("closed");
        }
        if (failure.isPresent()) {
            Error once = failure.get();
            failure = Optional.empty();
            throw once;
        }
        Mail mail =
                new Mail(command, String.format(Locale.ROOT, description, descriptionArguments));
        if (direct && !held) {
            mail.run();
        } else {
            mails.add(mail);
        }
    }

    /** From now on it takes no mail. */
    public void close() {
        closed = true;
    }

    /** Once, instead of the next mail, as if there were no memory for it. */
    public void failNext(Error instead) {
        failure = Optional.of(instead);
    }

    /** The task is busy: no mail runs but by {@link #deliverOne}. */
    public void hold() {
        held = true;
    }

    /** The task is busy no more; what waits stays. */
    public void release() {
        held = false;
    }

    /** The task is busy no more, and runs all that waits. */
    public void deliver() {
        release();
        runAll();
    }

    /** The oldest mail, held or not, while the others and what it posts stay. */
    public void deliverOne() {
        mails.remove().run();
    }

    /** Mails that wait. */
    public int size() {
        return mails.size();
    }

    /** What the oldest mail that waits is for. */
    public String next() {
        return mails.element().description;
    }

    /** Also what the mails post; nothing while it is held. */
    public void runAll() {
        while (tryYield()) {}
    }

    /** Runs mails until the future completes, and returns its value. */
    public <T> T await(CompletableFuture<T> future) throws Exception {
        awaitEnd(future);
        return future.get();
    }

    /** Runs mails until the future completes, well or not. */
    public void awaitEnd(CompletableFuture<?> future) throws InterruptedException {
        future.whenComplete((value, error) -> mails.add(new Mail(() -> {}, "The awaited end")));
        while (!future.isDone()) {
            mails.take().run();
        }
    }

    /**
     * @throws IllegalStateException if there is no mail to run: nothing would end the wait
     */
    @Override
    public void yield() {
        if (!tryYield()) {
            throw new IllegalStateException("no mail");
        }
    }

    @Override
    public boolean tryYield() {
        if (held || mails.isEmpty()) {
            return false;
        }
        deliverOne();
        return true;
    }

    @Override
    public boolean shouldInterrupt() {
        return false;
    }

    private static final class Mail implements Runnable {
        private final ThrowingRunnable<? extends Exception> command;
        private final String description;

        Mail(ThrowingRunnable<? extends Exception> command, String description) {
            this.command = command;
            this.description = description;
        }

        @Override
        public void run() {
            try {
                command.run();
            } catch (Exception e) {
                throw new FlinkRuntimeException(description, e);
            }
        }
    }
}
