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

import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.batch.Submission;
import java.util.ArrayList;
import java.util.List;

/**
 * What a call has decided under the log's lock and does after leaving it: nothing that calls out
 * runs under the lock.
 */
final class Aftermath {

    private final List<LoggedSet> leftFlight = new ArrayList<>();
    private final List<LoggedSet> keptNoMore = new ArrayList<>();
    private final List<LoggedSet> unneededMemory = new ArrayList<>();
    private final List<LoggedSet> unneededSegments = new ArrayList<>();
    private final List<SegmentLocation> unneededBackups = new ArrayList<>();
    private final List<Submission> submissions = new ArrayList<>();
    private final List<Runnable> completions = new ArrayList<>();

    void submit(Submission submission) {
        submissions.add(submission);
    }

    /** The set's bytes leave memory. */
    void freeMemory(LoggedSet set) {
        unneededMemory.add(set);
        if (set.sendAgain()) {
            keptNoMore.add(set);
        }
        if (set.leaveFlight()) {
            leftFlight.add(set);
        }
    }

    void releaseSegment(LoggedSet set) {
        unneededSegments.add(set);
    }

    /** Where there is one. */
    void deleteBackup(LoggedSet set) {
        set.backup().ifPresent(unneededBackups::add);
    }

    void complete(Runnable completion) {
        completions.add(completion);
    }

    /** The completions run in any case: nobody is left waiting, whatever goes wrong before. */
    void run(LogServices services) {
        try {
            runBookkeeping(services);
        } finally {
            completions.forEach(Runnable::run);
        }
    }

    private void runBookkeeping(LogServices services) {
        unneededMemory.forEach(set -> set.changes().release());
        keptNoMore.forEach(set -> services.inFlight().sendAgain(set.bytes()));
        leftFlight.forEach(set -> services.inFlight().remove(set.bytes()));
        unneededSegments.forEach(set -> services.registry().release(set.location().segment()));
        unneededBackups.forEach(services.backup()::delete);
        submissions.forEach(services.batcher()::submit);
    }
}
