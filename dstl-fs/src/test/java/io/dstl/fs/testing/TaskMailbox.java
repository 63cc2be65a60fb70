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
package io.dstl.fs.testing;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.function.ThrowingRunnable;

/** Runs mails on the thread of the test, as a task does on its own while it waits. */
public final class TaskMailbox implements MailboxExecutor {

    private final BlockingQueue<ThrowingRunnable<? extends Exception>> mails =
            new LinkedBlockingQueue<>();

    @Override
    public void execute(
            MailOptions options,
            ThrowingRunnable<? extends Exception> command,
            String description,
            Object... arguments) {
        mails.add(command);
    }

    /** Runs mails until the future completes, and returns its value. */
    public <T> T await(CompletableFuture<T> future) throws Exception {
        awaitEnd(future);
        return future.get();
    }

    /** Runs mails until the future completes, well or not. */
    public void awaitEnd(CompletableFuture<?> future) throws Exception {
        future.whenComplete((value, error) -> mails.add(() -> {}));
        while (!future.isDone()) {
            mails.take().run();
        }
    }

    /** Runs the mails that are there. */
    public void runAll() throws Exception {
        for (ThrowingRunnable<? extends Exception> mail = mails.poll();
                mail != null;
                mail = mails.poll()) {
            mail.run();
        }
    }

    @Override
    public void yield() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryYield() {
        return false;
    }

    @Override
    public boolean shouldInterrupt() {
        return false;
    }
}
