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
package io.dstl.tools.orphans;

import io.dstl.fs.option.DstlOptions;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/**
 * The directories that have files of one job: of its log, {@code <base>/<job id>/dstl}, and beside
 * its checkpoints {@code shared}, {@code taskowned} and what is left of checkpoints without
 * metadata.
 *
 * <p>Looks at nothing else, so that nothing else can be taken for a file of a job; and through no
 * symbolic link, as whoever may write to a directory could have what it stands for deleted,
 * anywhere.
 */
final class LogDirectories {
    private final List<Path> bases;
    private final boolean stateFiles;
    private final int threads;
    private final Progress progress;
    private boolean found;

    /**
     * @param bases where the log is: one directory, or many where names carry entropy
     * @param stateFiles whether those beside the checkpoints are looked at
     * @param threads that list directories of the log at the same time, if there are many
     */
    LogDirectories(List<Path> bases, boolean stateFiles, int threads, Progress progress) {
        this.bases = bases;
        this.stateFiles = stateFiles;
        this.threads = threads;
        this.progress = progress;
    }

    /** Takes the files of one directory after the other, on the caller's thread. */
    interface Visitor {
        void visit(List<StoredFile> files) throws Exception;

        /** What is left alone, with all that may be behind it. */
        default void link(Path link) throws IOException {}
    }

    /**
     * Goes through the logs alone if that of one job may be in several directories: names carry
     * entropy.
     */
    void visitScatteredLogs(Visitor visitor) throws Exception {
        if (bases.size() > 1) {
            visit(Collections.emptyList(), visitor);
        }
    }

    /**
     * @param jobs directories with the checkpoints of one job each
     */
    void visit(Collection<Path> jobs, Visitor visitor) throws Exception {
        List<Path> logs = logs(visitor);
        found = !logs.isEmpty();
        Collection<Path> beside = stateFiles ? jobs : Collections.emptyList();
        progress.begin("Looked through: %,d of %,d jobs", logs.size() + beside.size(), 0);
        visitLogs(logs, visitor);
        for (Path job : beside) {
            visitJob(job, StoredName::isStateDirectory, visitor);
            progress.done(0);
            progress.show();
        }
    }

    /** The directory with the log of each job. */
    private List<Path> logs(Visitor visitor) throws Exception {
        List<Path> logs = new ArrayList<>();
        progress.begin("Looked into: %,d of %,d base paths", bases.size(), 0);
        try (ParallelWork work = new ParallelWork("orphans", threads, progress)) {
            work.forEach(
                    bases.iterator(),
                    base -> {
                        Collected collected = new Collected();
                        directories(base, MetadataFile::isJob, collected)
                                .forEach(job -> collected.jobs.add(job.getPath()));
                        return collected;
                    },
                    (base, collected) -> {
                        progress.done(0);
                        collected.to(visitor);
                        logs.addAll(collected.jobs);
                    });
        }
        return logs;
    }

    /**
     * With entropy there may be a directory for each segment, which takes several requests; else
     * there is one for each job, which may be large.
     */
    private void visitLogs(List<Path> logs, Visitor visitor) throws Exception {
        int atOnce = bases.size() > 1 ? threads : 1;
        try (ParallelWork work = ParallelWork.withoutWaitingResults("orphans", atOnce, progress)) {
            work.forEach(
                    logs.iterator(),
                    job -> {
                        Collected collected = new Collected();
                        visitJob(job, StoredName.LOG::equals, collected);
                        return collected;
                    },
                    (job, collected) -> {
                        progress.done(0);
                        collected.to(visitor);
                    });
        }
    }

    private static void visitJob(Path job, Predicate<String> wanted, Visitor visitor)
            throws Exception {
        for (FileStatus directory : directories(job, wanted, visitor)) {
            visitor.visit(files(directory.getPath(), visitor));
        }
    }

    /**
     * To be called once all was visited.
     *
     * @param referredTo segments that the checkpoints refer to
     * @throws CommandFailure if there are such, but no log of any job: the path is wrong
     */
    void refuseNone(long referredTo) throws CommandFailure {
        if (!found && referredTo > 0) {
            throw CommandFailure.stopped(
                    String.format(
                            Locale.ROOT,
                            "No job has a log in %s, though the checkpoints refer to %,d segments."
                                    + " See that %s is the one that the jobs have",
                            Redacted.of(bases.get(0)),
                            referredTo,
                            DstlOptions.BASE_PATH.key()),
                    null);
        }
    }

    private static List<FileStatus> directories(
            Path parent, Predicate<String> wanted, Visitor visitor) throws IOException {
        List<FileStatus> directories = new ArrayList<>();
        for (FileStatus entry : Directory.list(parent)) {
            if (!wanted.test(entry.getPath().getName())) {
                continue;
            }
            if (Directory.isLink(entry.getPath())) {
                visitor.link(entry.getPath());
            } else if (entry.isDir()) {
                directories.add(entry);
            }
        }
        return directories;
    }

    /** None of a checkpoint that has metadata: all of it is the JobManager's, or the operator's. */
    private static List<StoredFile> files(Path directory, Visitor visitor) throws IOException {
        List<StoredFile> files = new ArrayList<>();
        boolean hasMetadata = false;
        for (FileStatus file : Directory.list(directory)) {
            if (Directory.isLink(file.getPath())) {
                visitor.link(file.getPath());
            } else if (file.getPath().getName().equals(MetadataFile.NAME)) {
                hasMetadata = true;
            } else if (!file.isDir()) {
                StoredName.of(file.getPath())
                        .ifPresent(name -> files.add(new StoredFile(name, file)));
            }
        }
        return hasMetadata ? Collections.emptyList() : files;
    }

    /** What a thread has found in one directory. */
    private static final class Collected implements Visitor {
        private final List<Path> jobs = new ArrayList<>();
        private final List<List<StoredFile>> directories = new ArrayList<>();
        private final List<Path> links = new ArrayList<>();

        @Override
        public void visit(List<StoredFile> files) {
            directories.add(files);
        }

        @Override
        public void link(Path link) {
            links.add(link);
        }

        void to(Visitor visitor) throws Exception {
            for (Path link : links) {
                visitor.link(link);
            }
            for (List<StoredFile> files : directories) {
                visitor.visit(files);
            }
        }
    }
}
