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
package io.dstl.bench.micro;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.function.ThrowingRunnable;

/** A task's mailbox: any thread posts mails, the task's runs them between two updates. */
final class TaskMailbox implements MailboxExecutor {
    private final Queue<ThrowingRunnable<? extends Exception>> mails =
            new ConcurrentLinkedQueue<>();

    @Override
    public void execute(
            MailOptions options,
            ThrowingRunnable<? extends Exception> mail,
            String description,
            Object... descriptionArgs) {
        mails.add(mail);
    }

    /** Runs what was posted; for the task's thread. */
    void drain() throws Exception {
        for (ThrowingRunnable<? extends Exception> mail = mails.poll();
                mail != null;
                mail = mails.poll()) {
            mail.run();
        }
    }

    @Override
    public void yield() {
        throw new UnsupportedOperationException("nothing waits for a mail here");
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
