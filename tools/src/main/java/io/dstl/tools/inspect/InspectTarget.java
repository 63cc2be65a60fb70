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
package io.dstl.tools.inspect;

import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.checkpoint.EntropyMarker;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/** What the command was pointed at: a checkpoint, a segment, or directories with segments. */
final class InspectTarget {
    /** The directory of a job's segments, below the one that is named by its id. */
    private static final String LOG = "dstl";

    private static final Pattern SEGMENT =
            Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final Optional<MetadataFile> checkpoint;
    private final Optional<FileStatus> segment;
    private final List<LogDirectory> directories;

    private InspectTarget(
            Optional<MetadataFile> checkpoint,
            Optional<FileStatus> segment,
            List<LogDirectory> directories) {
        this.checkpoint = checkpoint;
        this.segment = segment;
        this.directories = directories;
    }

    /** The directory of the segments of one job. */
    static final class LogDirectory {
        private final String job;
        private final Path path;

        LogDirectory(String job, Path path) {
            this.job = job;
            this.path = path;
        }

        String job() {
            return job;
        }

        Path path() {
            return path;
        }
    }

    Optional<MetadataFile> checkpoint() {
        return checkpoint;
    }

    Optional<FileStatus> segment() {
        return segment;
    }

    /** One for each job, or with entropy several; empty if it is something else. */
    List<LogDirectory> directories() {
        return directories;
    }

    static boolean isSegmentName(String name) {
        return SEGMENT.matcher(name).matches();
    }

    /**
     * Looks at what is there.
     *
     * @throws CommandFailure with path and remedy if it is none of these
     */
    static InspectTarget at(Path path) throws IOException, CommandFailure {
        Optional<FileStatus> file = fileAt(path);
        if (file.isPresent()) {
            return ofFile(file.get());
        }
        List<FileStatus> entries = Directory.list(path);
        Optional<FileStatus> metadata =
                entries.stream()
                        .filter(entry -> entry.getPath().getName().equals(MetadataFile.NAME))
                        .findFirst();
        if (metadata.isPresent()) {
            return new InspectTarget(metadata.map(MetadataFile::new), Optional.empty(), List.of());
        }
        List<LogDirectory> found = logsBelow(path, entries);
        if (found.isEmpty()) {
            throw nothingAt(path, entries);
        }
        return new InspectTarget(Optional.empty(), Optional.empty(), found);
    }

    /**
     * Looks at what is there of a path with {@link EntropyMarker}: metadata are without the marker,
     * and each segment may be below a directory of its own.
     *
     * @param work looks into several of these directories at a time
     * @throws CommandFailure with path and remedy if there is neither
     */
    static InspectTarget at(Path path, EntropyMarker entropy, ParallelWork work, Progress progress)
            throws Exception {
        Path plain = entropy.without(path);
        if (fileAt(plain).isPresent() || fileAt(new Path(plain, MetadataFile.NAME)).isPresent()) {
            return at(plain);
        }
        List<Path> bases = entropy.expand(path);
        List<LogDirectory> found = new ArrayList<>();
        progress.begin(
                "Looked into: %,d of %,d directories that the path stands for", bases.size(), 0);
        work.forEach(
                bases.iterator(),
                base -> logsBelow(base, Directory.list(base)),
                (base, logs) -> {
                    progress.done(0);
                    found.addAll(logs);
                });
        if (found.isEmpty()) {
            throw nothingAt(path, List.of());
        }
        return new InspectTarget(Optional.empty(), Optional.empty(), found);
    }

    /** Empty for a directory, also where a store has none as such. */
    private static Optional<FileStatus> fileAt(Path path) throws IOException {
        try {
            return Optional.of(path.getFileSystem().getFileStatus(path))
                    .filter(status -> !status.isDir());
        } catch (FileNotFoundException e) {
            return Optional.empty();
        }
    }

    private static InspectTarget ofFile(FileStatus file) throws CommandFailure {
        String name = file.getPath().getName();
        if (name.equals(MetadataFile.NAME)) {
            return new InspectTarget(
                    Optional.of(new MetadataFile(file)), Optional.empty(), List.of());
        }
        if (!isSegmentName(name)) {
            throw CommandFailure.usage(
                    Redacted.of(file.getPath())
                            + " is neither a checkpoint nor a segment: give a checkpoint's"
                            + " directory, its _metadata, a segment, whose name is a UUID, or a"
                            + " base path");
        }
        return new InspectTarget(Optional.empty(), Optional.of(file), List.of());
    }

    private static List<LogDirectory> logsBelow(Path path, List<FileStatus> entries)
            throws IOException {
        List<LogDirectory> found = new ArrayList<>();
        if (path.getName().equals(LOG) && path.getParent() != null) {
            found.add(new LogDirectory(path.getParent().getName(), path));
            return found;
        }
        for (FileStatus entry : entries) {
            Path child = entry.getPath();
            if (entry.isDir() && child.getName().equals(LOG)) {
                found.add(new LogDirectory(path.getName(), child));
            } else if (entry.isDir() && MetadataFile.isJob(child.getName())) {
                Path log = new Path(child, LOG);
                if (!Directory.list(log).isEmpty()) {
                    found.add(new LogDirectory(child.getName(), log));
                }
            }
        }
        return found;
    }

    private static CommandFailure nothingAt(Path path, List<FileStatus> entries) {
        Optional<Path> newest =
                entries.stream()
                        .filter(entry -> MetadataFile.isCheckpoint(entry.getPath().getName()))
                        .max(Comparator.comparingLong(FileStatus::getModificationTime))
                        .map(FileStatus::getPath);
        if (newest.isPresent()) {
            return CommandFailure.usage(
                    Redacted.of(path)
                            + " has several checkpoints: give one, such as "
                            + Redacted.of(newest.get()));
        }
        return CommandFailure.usage(
                Redacted.of(path)
                        + (entries.isEmpty()
                                ? " is empty or does not exist"
                                : " has neither _metadata nor <job id>/dstl in it")
                        + ": give a checkpoint's directory, a segment, or the base path of a log");
    }
}
