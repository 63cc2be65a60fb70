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

import static io.dstl.store.Closeables.forEach;

import io.dstl.fs.batch.SegmentLocation;
import io.dstl.store.Closeables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.ExceptionUtils;

/**
 * What a call of a {@link SealedLog} has decided under its lock, to be done after it.
 *
 * <p>Guarded by that lock; {@link #run} is for the calling thread, when it has left the lock.
 */
final class Deferred {
    private final List<LoggedSet> submitted = new ArrayList<>();

    /** Those of the submitted that did not count against the limit before. */
    private final List<LoggedSet> entered = new ArrayList<>();

    private final List<LoggedSet> freed = new ArrayList<>();
    private final List<StreamStateHandle> unneededSegments = new ArrayList<>();
    private final List<SegmentLocation> unneededBackups = new ArrayList<>();
    private final List<PendingPersist> ended = new ArrayList<>();
    private boolean withdraw;
    private boolean flush;
    private Optional<Throwable> hopeless = Optional.empty();
    private Optional<RuntimeException> failure = Optional.empty();

    /** Submits a change set that is to be uploaded. */
    void submit(LoggedSet set) {
        submitted.add(set);
        if (set.enterFlight()) {
            entered.add(set);
        }
    }

    /** Frees the memory of a change set. */
    void free(LoggedSet set) {
        freed.add(set);
    }

    void releaseSegment(StreamStateHandle segment) {
        unneededSegments.add(segment);
    }

    void deleteBackup(SegmentLocation backup) {
        unneededBackups.add(backup);
    }

    /** Ends the wait of submitted change sets that are not wanted any more. */
    void withdraw() {
        withdraw = true;
    }

    /** Completes the future of a persist, whose outcome is set. */
    void end(PendingPersist persist) {
        ended.add(persist);
    }

    /** No later upload mends this. */
    void hopeless(Throwable cause) {
        hopeless = Optional.of(cause);
    }

    /** {@link #run} throws this. */
    void failed(RuntimeException cause) {
        failure = Optional.of(cause);
    }

    /**
     * Does everything, whatever fails on the way: all change sets are submitted, and all waits end.
     * Throws the first error at the end.
     */
    void run(LogServices services) {
        InFlightLimit.Share inFlight = services.inFlight();
        Closeables.closeAll(
                () -> failure.ifPresent(ExceptionUtils::rethrow),
                () -> forEach(entered, set -> flush |= inFlight.add(set.heldBytes())),
                () -> forEach(freed, set -> set.changes().release()),
                () -> forEach(freed, set -> set.leave(inFlight)),
                () -> forEach(unneededSegments, services.registry()::release),
                () -> forEach(unneededBackups, services.backup()::delete),
                () -> {
                    if (withdraw) {
                        services.batcher().withdraw();
                    }
                },
                () -> forEach(submitted, services.batcher()::submit),
                () -> {
                    // No more may come for long, so gathered change sets must not wait for more.
                    if (flush || (!submitted.isEmpty() && inFlight.isFull())) {
                        services.batcher().flush();
                    }
                },
                () -> hopeless.ifPresent(inFlight::waiveSoftLimit),
                () -> forEach(ended, PendingPersist::tell));
    }
}
