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
package io.dstl.fs.log;

import io.dstl.fs.batch.Submission;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.util.ExceptionUtils;

/**
 * Actions that a call decides on under the log's lock and runs after leaving it: no callback runs
 * under the lock.
 */
final class DeferredActions {

    private final LogServices services;
    private final InFlightLimit.Share inFlight;
    private final List<Runnable> steps = new ArrayList<>();
    private final List<Submission> submissions = new ArrayList<>();
    private final List<Runnable> completions = new ArrayList<>();
    private boolean limitReached;
    private boolean unneededUpload;
    @Nullable private Throwable error;

    DeferredActions(LogServices services) {
        this.services = services;
        this.inFlight = services.inFlight();
    }

    /** Hands the set to upload, for the first time or again. */
    void submit(LoggedSet set, Submission submission) {
        submissions.add(submission);
        if (set.enterFlight()) {
            steps.add(() -> limitReached |= inFlight.add(set.heldBytes()));
        }
    }

    /** Frees the set's memory. */
    void freeMemory(LoggedSet set) {
        steps.add(set.changes()::release);
        if (set.keepNoMore()) {
            steps.add(() -> inFlight.keepNoMore(set.heldBytes()));
        }
        if (set.leaveFlight()) {
            steps.add(() -> inFlight.remove(set.heldBytes()));
        }
    }

    void releaseSegment(LoggedSet set) {
        steps.add(() -> services.registry().release(set.location().segment()));
    }

    /** An upload under way is no longer needed. */
    void withdrawUpload() {
        unneededUpload = true;
    }

    /** Deletes the set's backup, if there is one. */
    void deleteBackup(LoggedSet set) {
        set.backup().ifPresent(backup -> steps.add(() -> services.backup().delete(backup)));
    }

    /** {@link #run} throws the error after all actions. */
    void failed(Throwable cause) {
        error = ExceptionUtils.firstOrSuppressed(cause, error);
    }

    void complete(Runnable completion) {
        completions.add(completion);
    }

    /**
     * Runs each action, whatever fails before it: all submissions are sent, and all waits end.
     * Throws the first error at the end.
     */
    void run() {
        steps.forEach(this::attempt);
        if (unneededUpload) {
            attempt(services.batcher()::withdraw);
        }
        submissions.forEach(each -> attempt(() -> services.batcher().submit(each)));
        if (limitReached || (!submissions.isEmpty() && inFlight.isFull())) {
            // No more may come for long, so gathered change sets must not wait for more.
            attempt(services.batcher()::flush);
        }
        completions.forEach(this::attempt);
        if (error != null) {
            ExceptionUtils.rethrow(error);
        }
    }

    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable t) {
            failed(t);
        }
    }
}
