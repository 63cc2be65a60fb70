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

import io.dstl.fs.batch.SegmentBatcher;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.batch.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.util.ExceptionUtils;

/**
 * What a call has decided under the log's lock and does after leaving it: nothing that calls out
 * runs under the lock.
 */
final class DeferredActions {

    private final List<LoggedSet> enteredFlight = new ArrayList<>();
    private final List<LoggedSet> leftFlight = new ArrayList<>();
    private final List<LoggedSet> keptNoMore = new ArrayList<>();
    private final List<LoggedSet> unneededMemory = new ArrayList<>();
    private final List<LoggedSet> unneededSegments = new ArrayList<>();
    private final List<SegmentLocation> unneededBackups = new ArrayList<>();
    private final List<Submission> submissions = new ArrayList<>();
    private final List<Runnable> completions = new ArrayList<>();
    private boolean limitReached;
    private boolean unneededUpload;
    @Nullable private Throwable error;

    /** The set is on its way for the first time, or again. */
    void submit(LoggedSet set, Submission submission) {
        submissions.add(submission);
        if (set.enterFlight()) {
            enteredFlight.add(set);
        }
    }

    /** The set's bytes leave memory. */
    void freeMemory(LoggedSet set) {
        unneededMemory.add(set);
        if (set.keepNoMore()) {
            keptNoMore.add(set);
        }
        if (set.leaveFlight()) {
            leftFlight.add(set);
        }
    }

    void releaseSegment(LoggedSet set) {
        unneededSegments.add(set);
    }

    /** A set that is on its way is needed no more. */
    void withdrawUpload() {
        unneededUpload = true;
    }

    /** Where there is one. */
    void deleteBackup(LoggedSet set) {
        set.backup().ifPresent(unneededBackups::add);
    }

    /** To be thrown when all has been done. */
    void failed(Throwable cause) {
        error = ExceptionUtils.firstOrSuppressed(cause, error);
    }

    void complete(Runnable completion) {
        completions.add(completion);
    }

    /**
     * Each step is taken, whatever goes wrong with another: what is on its way is sent, and nobody
     * is left waiting. The first error is thrown in the end.
     */
    void run(LogServices services) {
        InFlightLimit.Share inFlight = services.inFlight();
        all(unneededMemory, set -> set.changes().release());
        all(keptNoMore, set -> inFlight.keepNoMore(set.heldBytes()));
        all(enteredFlight, set -> enter(inFlight, set));
        all(leftFlight, set -> inFlight.remove(set.heldBytes()));
        all(unneededSegments, set -> services.registry().release(set.location().segment()));
        all(unneededBackups, services.backup()::delete);
        if (unneededUpload) {
            all(List.of(services.batcher()), SegmentBatcher::withdraw);
        }
        all(submissions, services.batcher()::submit);
        if (limitReached || (!submissions.isEmpty() && inFlight.isFull())) {
            // Nobody may hand in more for long: what is gathered is not to wait for it.
            all(List.of(services.batcher()), SegmentBatcher::flush);
        }
        all(completions, Runnable::run);
        if (error != null) {
            ExceptionUtils.rethrow(error);
        }
    }

    private <T> void all(List<T> subjects, Consumer<T> step) {
        for (T subject : subjects) {
            try {
                step.accept(subject);
            } catch (Throwable t) {
                failed(t);
            }
        }
    }

    private void enter(InFlightLimit.Share inFlight, LoggedSet set) {
        limitReached |= inFlight.add(set.heldBytes());
    }
}
