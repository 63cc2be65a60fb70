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
package io.dstl.tools.verify;

import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ExitCode;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.core.fs.Path;

/**
 * Reads the metadata of the checkpoints, then looks at each object that they need, and reports in
 * the order of the metadata.
 *
 * <p>For one thread, which starts others while it runs.
 */
final class Verification {
    /** With more of them it is the store that is in trouble, and each takes its time. */
    private static final int MOST_UNREADABLE = 100;

    private final VerifySettings settings;
    private final VerifyReport report;
    private final Progress progress;
    private final List<VerifiedCheckpoint> checkpoints = new ArrayList<>();
    private final NeededObjects needed = new NeededObjects();
    private final Sums sums = new Sums(needed.inMetadata());

    /** Of which an object is missing. */
    private final Set<VerifiedCheckpoint> incomplete = new LinkedHashSet<>();

    /** So many of the needed objects, from the first one on. */
    private int looked;

    Verification(VerifySettings settings, VerifyReport report, Progress progress) {
        this.settings = settings;
        this.report = report;
        this.progress = progress;
    }

    /**
     * Shows what was found also where it throws.
     *
     * @return one of {@link ExitCode}
     * @throws CommandFailure if a path is in a store that this Flink has no file system for
     */
    int run(Redaction redaction) throws Exception {
        try {
            for (Path path : settings.checkpoints()) {
                readMetadata(path, redaction);
            }
            checkObjects(new ObjectCheck(new FileSystemOpener(), redaction));
        } finally {
            incomplete.forEach(VerifiedCheckpoint::lookAgain);
            if (!checkpoints.isEmpty()) {
                needed.all().stream()
                        .skip(looked)
                        .flatMap(object -> object.checkpoints().stream())
                        .forEach(checkpoint -> checkpoint.add(Verdict.UNCHECKED));
                report.sums(checkpoints, sums);
            }
        }
        return exitCode();
    }

    private void checkObjects(ObjectCheck check) throws Exception {
        progress.begin(
                "Checked: %,d of %,d objects, of segments %,d of %,d bytes",
                needed.all().size(),
                needed.all().stream().mapToLong(Verification::bytesToRead).sum());
        try (ParallelWork work = new ParallelWork("verify", settings.threads(), progress)) {
            work.forEach(
                    needed.all().stream().takeWhile(any -> isWorthGoingOn()).iterator(),
                    check::check,
                    this::found);
        }
    }

    private boolean isWorthGoingOn() {
        return sums.count(Verdict.UNREADABLE) < MOST_UNREADABLE
                && !checkpoints.stream().allMatch(VerifiedCheckpoint::isGone);
    }

    private static long bytesToRead(StoredObject object) {
        return object.isSegment() ? object.bytes() : 0;
    }

    private void readMetadata(Path path, Redaction redaction) throws Exception {
        MetadataCheck metadata = new MetadataCheck(path, redaction, needed);
        checkpoints.add(metadata.checkpoint());
        metadata.checkpoint().add(metadata.finding().verdict());
        sums.add(metadata.finding(), 0);
        report(metadata.finding());
    }

    private int exitCode() {
        Set<Verdict> verdicts = EnumSet.noneOf(Verdict.class);
        checkpoints.forEach(checkpoint -> verdicts.add(checkpoint.verdict()));
        if (verdicts.remove(Verdict.DAMAGED)) {
            return ExitCode.FINDINGS;
        }
        verdicts.remove(Verdict.INTACT);
        return verdicts.isEmpty() ? ExitCode.DONE : ExitCode.STOPPED;
    }

    private void found(StoredObject object, Finding finding) throws IOException {
        progress.done(bytesToRead(object));
        looked++;
        object.checkpoints().forEach(checkpoint -> checkpoint.add(finding.verdict()));
        if (finding.verdict() == Verdict.MISSING) {
            object.checkpoints().forEach(this::lacksOneMore);
        }
        sums.add(finding, object.bytes());
        if (!object.checkpoints().stream().allMatch(VerifiedCheckpoint::isGone)) {
            report(finding);
        }
    }

    /** Looks after the first missing object, the second, the fourth, and so on, and at the end. */
    private void lacksOneMore(VerifiedCheckpoint checkpoint) {
        incomplete.add(checkpoint);
        if (Integer.bitCount(checkpoint.count(Verdict.MISSING)) == 1) {
            checkpoint.lookAgain();
        }
    }

    private void report(Finding finding) throws IOException {
        if (finding.verdict() != Verdict.INTACT) {
            report.finding(finding);
        }
    }
}
