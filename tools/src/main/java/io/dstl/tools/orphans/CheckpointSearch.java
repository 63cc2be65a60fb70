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

import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.orphans.OrphanRule.EndedJobs;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/**
 * Finds the {@code _metadata} of every checkpoint and savepoint below some directories, and reads
 * them.
 *
 * <p>Owns the rule that nothing is skipped: one that is there and can't be read ends the search.
 */
final class CheckpointSearch {
    /** Beside a job's checkpoints: state files, very many, and never metadata. */
    private static final Set<String> STATE_FILES =
            Collections.unmodifiableSet(new HashSet<>(Arrays.asList("shared", "taskowned")));

    private final List<Path> configured;
    private final List<Path> given;
    private final List<Path> single;
    private final EndedJobs ended;
    private final Progress progress;

    /**
     * @param configured directories that are searched at any depth
     * @param given more of them, where somebody has said that there are checkpoints
     * @param single directories or metadata files of single checkpoints or savepoints
     * @param ended jobs of which something has to be found
     */
    CheckpointSearch(
            List<Path> configured,
            List<Path> given,
            List<Path> single,
            EndedJobs ended,
            Progress progress) {
        this.configured = configured;
        this.given = given;
        this.single = single;
        this.ended = ended;
        this.progress = progress;
    }

    /**
     * Lists and reads all that is there now.
     *
     * @throws CommandFailure if a checkpoint can't be read, or none was found where some have to be
     */
    RetainedReferences read() throws IOException, CommandFailure {
        RetainedReferences references = new RetainedReferences();
        progress.begin("Checkpoints read so far: %,d", 0, 0);
        for (Path directory : configured) {
            references.searched(directory);
            search(directory, false, references);
        }
        for (Path directory : given) {
            references.searched(directory);
            search(directory, false, references);
            if (references.readIn(directory) == 0) {
                throw CommandFailure.stopped(
                        "No checkpoint was found in "
                                + Redacted.of(directory)
                                + ". Give a directory that has some, or leave it out",
                        null);
            }
        }
        for (Path path : single) {
            references.searched(path);
            readSingle(path, references);
        }
        ended.check(references);
        return references;
    }

    /**
     * @param linked whether a symbolic link has led here: checkpoints count all the same, but state
     *     files are not looked for
     */
    private void search(Path directory, boolean linked, RetainedReferences references)
            throws IOException, CommandFailure {
        List<FileStatus> entries = Directory.list(directory);
        progress.show();
        for (FileStatus entry : entries) {
            if (!entry.isDir() && entry.getPath().getName().equals(MetadataFile.NAME)) {
                read(new MetadataFile(entry), references);
                progress.done(0);
                progress.show();
                return;
            }
        }
        boolean ofOneJob = isOfOneJob(directory, entries);
        if (!linked && StoredName.isJob(directory.getName())) {
            references.jobDirectory(directory);
        }
        for (FileStatus entry : entries) {
            boolean stateFiles = ofOneJob && STATE_FILES.contains(entry.getPath().getName());
            if (entry.isDir() && !stateFiles) {
                Path path = entry.getPath();
                search(path, linked || Directory.isLink(path), references);
            }
        }
    }

    private static boolean isOfOneJob(Path directory, List<FileStatus> entries) {
        return StoredName.isJob(directory.getName())
                || entries.stream()
                        .anyMatch(entry -> MetadataFile.isCheckpoint(entry.getPath().getName()));
    }

    private static void read(MetadataFile file, RetainedReferences references)
            throws IOException, CommandFailure {
        try {
            references.add(file);
        } catch (Exception e) {
            // A checkpoint that was subsumed since it was listed is retained no more.
            if (isThere(file.path())) {
                throw unreadable(file.path(), e);
            }
        }
    }

    private static boolean isThere(Path file) throws IOException {
        return Directory.list(file.getParent()).stream()
                .anyMatch(entry -> entry.getPath().getName().equals(file.getName()));
    }

    private static void readSingle(Path path, RetainedReferences references) throws CommandFailure {
        try {
            references.add(MetadataFile.at(path));
        } catch (Exception e) {
            throw unreadable(path, e);
        }
    }

    private static CommandFailure unreadable(Path file, Exception cause) {
        return CommandFailure.stopped(
                "Can't read the checkpoint "
                        + Redacted.of(file)
                        + ", so what it refers to is unknown: no further segment is deleted. If it"
                        + " is needed no more, delete it and start again; if it was written by"
                        + " another version of Flink, use that version's lib/",
                cause);
    }
}
