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
package io.dstl.fs.read;

import io.dstl.store.SegmentDirectory.SegmentNames;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory in which one cache keeps its copies, below one of Flink's temporary directories.
 * Copies are state of users, and temporary directories are often open to all: only the process's
 * own user can read the copies.
 *
 * <pre>
 * dstl-copies-&lt;process&gt;-&lt;number&gt;.lock   0600, locked for as long as the directory is used
 * dstl-copies-&lt;process&gt;-&lt;number&gt;/       0700; the copies in it, 0600
 * </pre>
 *
 * <p><b>Sweeping.</b> A process that dies leaves its copies, and its lock ends. So a process that
 * creates a directory deletes those beside it whose lock file nobody holds. A lock file is created
 * and locked before its directory, and deleted after it. The sweep ignores files of another user,
 * symbolic links, directories without a lock file, and this process's own. It does not even open
 * the lock files of this process, since closing a file ends all locks that its process has on it.
 *
 * <p><b>Threading.</b> Guarded by the cache's lock, but for the static methods.
 */
final class CopyDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(CopyDirectory.class);

    private static final String PREFIX = "dstl-copies-";
    private static final String LOCK = ".lock";
    private static final String COPY = "dstl-segment-";

    /** A property of the JVM, since each class loader has its own class of this name. */
    private static final String PROCESS = "dstl.copies.process";

    private final Path parent;
    private final SegmentNames names;
    private final Executor sweeper;

    private Path directory;
    private FileChannel lock;

    /**
     * Creates nothing yet.
     *
     * @param parent a temporary directory, created with the first copy if it is missing
     * @param sweeper runs the search for leftovers
     */
    CopyDirectory(Path parent, SegmentNames names, Executor sweeper) {
        this.parent = parent;
        this.names = names;
        this.sweeper = sweeper;
    }

    /** A path for a new file in the directory, which exists after this call. */
    Path newFile() throws IOException {
        if (directory == null) {
            try {
                create();
            } catch (IOException e) {
                throw UnusableException.of(parent, e);
            }
        }
        return directory.resolve(COPY + names.next());
    }

    private void create() throws IOException {
        String process =
                (String) System.getProperties().computeIfAbsent(PROCESS, property -> names.next());
        // A directory behind a symbolic link exists, but can't be "created".
        if (!Files.isDirectory(parent)) {
            Files.createDirectories(parent);
        }
        make(PREFIX + process);
        beginSweep(PREFIX + process + "-", directory);
    }

    private void make(String name) throws IOException {
        for (int number = 1; ; number++) {
            Path made = parent.resolve(name + "-" + number);
            if (!Files.exists(made, LinkOption.NOFOLLOW_LINKS) && locked(made)) {
                create(made);
                return;
            }
        }
    }

    private void create(Path made) throws IOException {
        try {
            Files.createDirectory(made, ownerOnly(made, "rwx------"));
            directory = made;
        } catch (Throwable t) {
            try {
                unlock(made);
            } catch (IOException e) {
                t.addSuppressed(e);
            }
            throw t;
        }
    }

    private void unlock(Path made) throws IOException {
        if (lock != null) {
            lock.close();
            lock = null;
        }
        Files.deleteIfExists(lockOf(made));
    }

    private static Path lockOf(Path directory) {
        return directory.resolveSibling(directory.getFileName() + LOCK);
    }

    private boolean locked(Path made) throws IOException {
        Path file = lockOf(made);
        FileChannel channel;
        try {
            channel =
                    FileChannel.open(
                            file,
                            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                            ownerOnly(file, "rw-------"));
        } catch (FileAlreadyExistsException e) {
            return false;
        }
        try {
            // A sweep may have deleted the file before it was locked.
            if (channel.tryLock() != null && Files.exists(file)) {
                lock = channel;
                return true;
            }
        } catch (IOException e) {
            LOG.warn(
                    "Could not lock {}. If this process is killed, delete the directory of that"
                            + " name by hand: nobody can tell that it is used no more",
                    made,
                    e);
            channel.close();
            Files.deleteIfExists(file);
            return true;
        }
        channel.close();
        return false;
    }

    private void beginSweep(String ofThisProcess, Path own) {
        try {
            sweeper.execute(() -> sweep(ofThisProcess, own));
        } catch (Throwable t) {
            LOG.debug("Leaving what others left in {}", parent, t);
        }
    }

    private static void sweep(String ofThisProcess, Path own) {
        Path parent = own.getParent();
        try (DirectoryStream<Path> locks = Files.newDirectoryStream(parent, PREFIX + "*" + LOCK)) {
            UserPrincipal self = Files.getOwner(own);
            for (Path file : locks) {
                if (!file.getFileName().toString().startsWith(ofThisProcess)
                        && isOwnedBy(self, file)) {
                    sweepIfAbandoned(file, self);
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("Could not look for what other processes left in {}", parent, e);
        }
    }

    private static boolean isOwnedBy(UserPrincipal user, Path path) {
        try {
            return !Files.isSymbolicLink(path)
                    && Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(user);
        } catch (IOException e) {
            return false;
        }
    }

    private static void sweepIfAbandoned(Path file, UserPrincipal self) {
        String name = file.getFileName().toString();
        Path left = file.resolveSibling(name.substring(0, name.length() - LOCK.length()));
        try (FileChannel channel =
                        FileChannel.open(
                                file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock held = channel.tryLock()) {
            if (held == null) {
                return;
            }
            if (Files.exists(left, LinkOption.NOFOLLOW_LINKS)) {
                if (!isOwnedBy(self, left) || !Files.isDirectory(left)) {
                    return;
                }
                deleteCopies(left);
                Files.delete(left);
                LOG.info("Deleted {}, local copies of segments that a dead process left", left);
            }
            Files.delete(file);
        } catch (NoSuchFileException e) {
            LOG.debug("Another process deletes {}", left, e);
        } catch (IOException | OverlappingFileLockException e) {
            LOG.warn("Could not delete {}, which a dead process left: delete it by hand", left, e);
        }
    }

    private static void deleteCopies(Path left) throws IOException {
        try (DirectoryStream<Path> copies = Files.newDirectoryStream(left, COPY + "*")) {
            for (Path copy : copies) {
                Files.deleteIfExists(copy);
            }
        }
    }

    /** Deletes the directory if it is empty; call again until it is. */
    void deleteIfEmpty() {
        if (directory == null) {
            return;
        }
        try {
            Files.deleteIfExists(directory);
            if (lock != null) {
                Files.deleteIfExists(lockOf(directory));
                lock.close();
            }
            directory = null;
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("Leaving {} to the last reader of a copy in it", directory, e);
        } catch (IOException e) {
            LOG.warn("Could not delete {}, in which local copies were", directory, e);
        }
    }

    /**
     * Opens a copy; only its owner can read one that this creates. Any thread.
     *
     * @throws UnusableException if the disk refuses
     */
    static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
        try {
            // A cleaner of temporary directories may have deleted it.
            Files.createDirectories(file.getParent(), ownerOnly(file, "rwx------"));
            return FileChannel.open(file, options, ownerOnly(file, "rw-------"));
        } catch (IOException e) {
            throw UnusableException.of(file, e);
        }
    }

    /** The disk takes no local copy, or opens none: it is full, say. The store has the segment. */
    static final class UnusableException extends IOException {

        private static final long serialVersionUID = 1L;

        private UnusableException(Path file, IOException cause) {
            super("The disk refuses " + file + ": " + cause, cause);
        }

        /** A file that was there. The same failure too if somebody has deleted it. */
        static IOException ofOpen(Path file, IOException cause) {
            return cause instanceof NoSuchFileException ? cause : of(file, cause);
        }

        /** The same failure, if it is that of an interrupt or of the end of a task. */
        static IOException of(Path file, IOException cause) {
            return cause instanceof ClosedChannelException
                    ? cause
                    : new UnusableException(file, cause);
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
