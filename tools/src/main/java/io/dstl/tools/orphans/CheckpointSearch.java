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
import io.dstl.tools.orphans.OrphanRule.OperatorWord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
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
    private static final Set<String> STATE_FILES = Set.of("shared", "taskowned");

    /** Of one directory; a checkpoint per second takes two or three. */
    private static final int MAX_LISTINGS = 20;

    private final List<Path> configured;
    private final List<Path> given;
    private final List<Path> single;
    private final OperatorWord word;
    private final Progress progress;
    private final Listing listing;

    /**
     * @param configured directories that are searched at any depth
     * @param given more of them, where somebody has said that there are checkpoints
     * @param single directories or metadata files of single checkpoints or savepoints
     * @param word what the operator says of jobs
     */
    CheckpointSearch(
            List<Path> configured,
            List<Path> given,
            List<Path> single,
            OperatorWord word,
            Progress progress) {
        this(configured, given, single, word, progress, Directory::list);
    }

    CheckpointSearch(
            List<Path> configured,
            List<Path> given,
            List<Path> single,
            OperatorWord word,
            Progress progress,
            Listing listing) {
        this.configured = configured;
        this.given = given;
        this.single = single;
        this.word = word;
        this.progress = progress;
        this.listing = listing;
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
        word.applyTo(references);
        return references;
    }

    /**
     * Searches a directory, again if need be: a job that goes on completes a checkpoint, which was
     * not listed yet, and then deletes the one before, which was, beginning with its metadata. What
     * was without metadata already at the look before was mostly left so. If it was under way then,
     * and is gone by now, the one before it was read: they are looked at in ascending order. What
     * that one does not list is in no later one, but for what is younger.
     *
     * <p>What has come since the look before is tried first: where JobManagers have died, so many
     * are without metadata that the newest has gone before its turn comes.
     *
     * @param linked whether a symbolic link has led here: checkpoints count all the same, but state
     *     files are not looked for
     * @return whether a checkpoint was read
     */
    private boolean search(Path directory, boolean linked, RetainedReferences references)
            throws IOException, CommandFailure {
        Set<String> read = new HashSet<>();
        Set<String> unreadBefore = new HashSet<>();
        for (int listings = 0; listings < MAX_LISTINGS; listings++) {
            List<FileStatus> entries = listing.list(directory);
            Optional<FileStatus> metadata = metadata(entries);
            if (metadata.isPresent() && !read.contains(MetadataFile.NAME)) {
                boolean isRead =
                        read(
                                new MetadataFile(
                                        child(directory, MetadataFile.NAME), metadata.get()),
                                references);
                if (entries.stream().noneMatch(FileStatus::isDir)) {
                    return isRead;
                }
                // A savepoint was copied to where there are checkpoints.
                if (isRead) {
                    read.add(MetadataFile.NAME);
                }
            }
            List<String> names = toSearch(directory, entries, linked, references);
            if (listings > 0) {
                List<String> since = new ArrayList<>(names);
                since.removeIf(name -> unreadBefore.contains(name));
                searchUnread(directory, since, linked, references, read);
            }
            Set<String> unread = searchUnread(directory, names, linked, references, read);
            if (unreadBefore.containsAll(unread) || isSame(directory, unread, read)) {
                return !read.isEmpty();
            }
            unreadBefore.clear();
            unreadBefore.addAll(unread);
        }
        throw CommandFailure.stopped(
                "The directories in "
                        + Redacted.of(directory)
                        + " come and go quicker than they are read, so what the checkpoints there"
                        + " refer to is unknown: no further segment is deleted. Start again when"
                        + " the job takes fewer checkpoints, or from a machine closer to the store."
                        + " Each chk-<n> without metadata makes a look longer; at the last one: "
                        + unreadBefore.size(),
                null);
    }

    /**
     * Searches those of the names that are not read yet, in their order.
     *
     * @param read gets the names below which a checkpoint was read
     * @return the checkpoints' directories that are still unread
     */
    private Set<String> searchUnread(
            Path directory,
            List<String> names,
            boolean linked,
            RetainedReferences references,
            Set<String> read)
            throws IOException, CommandFailure {
        Set<String> unread = new HashSet<>();
        for (String name : names) {
            Path path = child(directory, name);
            if (read.contains(name) || search(path, linked || Directory.isLink(path), references)) {
                read.add(name);
            } else if (MetadataFile.isCheckpoint(name)) {
                unread.add(name);
            }
        }
        return unread;
    }

    /**
     * Whether those without metadata are all that is still unread: mostly one that is under way.
     */
    private boolean isSame(Path directory, Set<String> unread, Set<String> read)
            throws IOException {
        Set<String> now = names(listing.list(directory));
        now.removeIf(name -> read.contains(name) || !MetadataFile.isCheckpoint(name));
        return now.equals(unread);
    }

    /** A name may have a colon, which would make what is before it a scheme. */
    private static Path child(Path directory, String name) {
        return new Path(directory, "./" + name);
    }

    private static Optional<FileStatus> metadata(List<FileStatus> entries) {
        return entries.stream()
                .filter(entry -> !entry.isDir())
                .filter(entry -> entry.getPath().getName().equals(MetadataFile.NAME))
                .findFirst();
    }

    private List<String> toSearch(
            Path directory,
            List<FileStatus> entries,
            boolean linked,
            RetainedReferences references) {
        progress.show();
        boolean ofJob = MetadataFile.isJob(directory.getName());
        boolean ofOneJob = ofJob || hasCheckpoints(entries);
        if (!linked && ofJob) {
            references.jobDirectory(directory);
        }
        List<String> names = new ArrayList<>();
        for (FileStatus entry : entries) {
            String name = entry.getPath().getName();
            // The local file system looks only now: an entry that has gone counts as no directory.
            boolean isDirectory = entry.isDir() || MetadataFile.isCheckpoint(name);
            boolean isOfState = ofOneJob && STATE_FILES.contains(name);
            boolean isLog = ofJob && name.equals(StoredName.LOG);
            if (isDirectory && !isOfState && !isLog) {
                names.add(name);
            }
        }
        // The older ones first: when one has gone, those that came after it are complete.
        names.sort(Comparator.comparing(String::length).thenComparing(Comparator.naturalOrder()));
        return names;
    }

    private static Set<String> names(List<FileStatus> entries) {
        return entries.stream().map(entry -> entry.getPath().getName()).collect(Collectors.toSet());
    }

    private static boolean hasCheckpoints(List<FileStatus> entries) {
        return entries.stream()
                .anyMatch(entry -> MetadataFile.isCheckpoint(entry.getPath().getName()));
    }

    /**
     * @return false if the file has gone since it was listed
     */
    private boolean read(MetadataFile file, RetainedReferences references)
            throws IOException, CommandFailure {
        try {
            references.add(file);
        } catch (Exception e) {
            // A checkpoint that was subsumed since it was listed is retained no more.
            if (names(listing.list(file.path().getParent())).contains(MetadataFile.NAME)) {
                throw unreadable(file.path(), e);
            }
            return false;
        }
        progress.done(0);
        progress.show();
        return true;
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
                        + ", so what it refers to is unknown: no further segment is deleted. "
                        + remedy(cause),
                cause);
    }

    private static String remedy(Exception cause) {
        if (cause instanceof MetadataFile.TooLargeException) {
            return "Give java more memory, -Xmx";
        }
        return cause instanceof MetadataFile.NoMetadataException
                ? "If it is needed no more, delete it and start again; if it was written by"
                        + " another version of Flink, use that version's lib/"
                : "It may be intact, so do not delete it for that: see to the reason, and start"
                        + " again";
    }

    /** Lists a directory, as {@link Directory#list}. */
    interface Listing {
        List<FileStatus> list(Path directory) throws IOException;
    }
}
