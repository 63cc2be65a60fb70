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
package io.dstl.tools.checkpoint;

import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Paths;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileStatus;

/** Lists directories of any file system. */
public final class Directory {
    private Directory() {}

    /** Whether it is a symbolic link, which only a file system of this machine has. */
    public static boolean isLink(Path path) throws IOException {
        return !path.getFileSystem().isDistributedFS()
                && Files.isSymbolicLink(Paths.get(path.getPath()));
    }

    /**
     * @throws FileNotFoundException if there is no such file; never of one of this machine that
     *     this user cannot see
     */
    public static FileStatus status(Path file) throws IOException {
        try {
            return file.getFileSystem().getFileStatus(file);
        } catch (FileNotFoundException e) {
            FileSystemOpener.checkMissing(file, e);
            throw e;
        }
    }

    /**
     * Whether a file that was there is not any more: a job that goes on deletes its checkpoints
     * when newer ones have completed, and segments that none of them needs. False where nobody can
     * tell.
     */
    public static boolean isGone(Path file) {
        try {
            status(file);
            return false;
        } catch (FileNotFoundException e) {
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /**
     * What is in a directory, by name; nothing where there is none. An object store has no
     * directories, only names that begin alike, so the two are the same.
     *
     * @throws IOException if it cannot be listed whole: what is not named may be there
     */
    public static List<FileStatus> list(Path directory) throws IOException {
        List<FileStatus> entries;
        try {
            FileSystem files = directory.getFileSystem();
            entries = files.isDistributedFS() ? stored(files, directory) : local(files, directory);
        } catch (DirectoryIteratorException e) {
            throw unlisted(directory, e.getCause());
        } catch (FileNotFoundException | FileSystemException e) {
            throw unlisted(directory, e);
        }
        entries.sort(Comparator.comparing(entry -> entry.getPath().getName()));
        return entries;
    }

    private static List<FileStatus> stored(FileSystem files, Path directory) throws IOException {
        FileStatus[] found = null;
        try {
            found = files.listStatus(directory);
        } catch (FileNotFoundException e) {
            if (!isGone(directory)) {
                throw e;
            }
        }
        if (found == null && !isGone(directory)) {
            throw new FileNotFoundException(directory.getName());
        }
        return found == null ? new ArrayList<>() : new ArrayList<>(Arrays.asList(found));
    }

    /**
     * Without Flink's local file system: that takes what it cannot look at for missing, and one
     * such entry for all of them.
     */
    private static List<FileStatus> local(FileSystem files, Path directory) throws IOException {
        List<FileStatus> entries = new ArrayList<>();
        java.nio.file.Path path = Paths.get(directory.getPath());
        try (DirectoryStream<java.nio.file.Path> found = Files.newDirectoryStream(path)) {
            for (java.nio.file.Path entry : found) {
                if (isThere(entry)) {
                    entries.add(new LocalFileStatus(entry.toFile(), files));
                }
            }
        } catch (NotDirectoryException e) {
            entries.add(files.getFileStatus(directory));
        } catch (NoSuchFileException e) {
            return new ArrayList<>();
        }
        return entries;
    }

    /** False if it was deleted since it was listed. A link is there, wherever it leads. */
    private static boolean isThere(java.nio.file.Path entry) throws IOException {
        try {
            Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static IOException unlisted(Path directory, IOException cause) {
        return new IOException(
                "Cannot list "
                        + Redacted.of(directory)
                        + ": see that it can be read, by this user and at this moment",
                cause);
    }
}
