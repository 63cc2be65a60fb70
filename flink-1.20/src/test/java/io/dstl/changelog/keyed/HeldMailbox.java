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

import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingRunnable;

/** Runs mails at once, or keeps them until they are asked for, as a task does that is busy. */
final class HeldMailbox implements MailboxExecutor {

    private final Queue<ThrowingRunnable<? extends Exception>> kept = new ArrayDeque<>();
    private final Queue<String> descriptions = new ArrayDeque<>();
    private boolean holding;

    void hold() {
        holding = true;
    }

    int kept() {
        return kept.size();
    }

    /** What the oldest is for. */
    String next() {
        return descriptions.element();
    }

    /** The oldest, while the others, and what it posts, are kept on. */
    void deliverOne() throws Exception {
        descriptions.remove();
        kept.remove().run();
    }

    void deliver() throws Exception {
        holding = false;
        while (!kept.isEmpty()) {
            deliverOne();
        }
    }

    @Override
    public void execute(
            MailOptions options,
            ThrowingRunnable<? extends Exception> mail,
            String description,
            Object... descriptionArgs) {
        if (holding) {
            kept.add(mail);
            descriptions.add(description);
        } else {
            try {
                mail.run();
            } catch (Exception e) {
                throw new FlinkRuntimeException(description, e);
            }
        }
    }

    @Override
    public void yield() {
        throw new UnsupportedOperationException("Nothing waits for a mail here");
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
