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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.FileUploads;
import io.dstl.store.FileUploads.FileUpload;
import io.dstl.store.RefusedException;
import io.dstl.store.ThrottledException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.fs.EntropyInjector;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way around Flink's file system for the files of a task's materializations: by the client that
 * stores the log. They get the names and places that Flink would give them.
 *
 * <p>A file is gathered on the local disk first, as its length has to be known and it may be sent
 * again. Flink's S3 clients do the same.
 *
 * <p>Thread-safe.
 */
final class DirectFiles {
    private static final Logger LOG = LoggerFactory.getLogger(DirectFiles.class);

    /** One may have come at the end of an outage. */
    private static final int MOST_IN_VAIN = 2;

    /**
     * Files that go by Flink's file system before this way is tried again, where the store
     * throttled so many in vain: each costs a minute of pauses. Unlike a refusal, that says nothing
     * of this way.
     */
    static final int PASSED_OVER = 64;

    /** Flink takes no larger threshold, and takes its default instead. */
    private static final long MOST_INLINE = 1 << 20;

    private final FileUploads uploads;
    private final Path directory;
    private final Supplier<String> names;
    private final IOManager disks;
    private final int inlineBytes;
    private final Consumer<StreamStateHandle> unwanted;

    /**
     * Files since the last success that Flink's file system has stored, and these uploads not;
     * throttled ones aside. After the most in vain these uploads are over.
     */
    @GuardedBy("this")
    private int inVain;

    /** Throttled files since the last success or other failure. */
    @GuardedBy("this")
    private int throttled;

    /** Files since the last outcome of an upload that were to go by Flink's file system. */
    @GuardedBy("this")
    private int passedOver;

    /** Of all kinds. */
    @GuardedBy("this")
    private int failures;

    private final AtomicBoolean toldOfNoRoom = new AtomicBoolean();

    private DirectFiles(
            FileUploads uploads,
            Path directory,
            Supplier<String> names,
            IOManager disks,
            int inlineBytes,
            Consumer<StreamStateHandle> unwanted) {
        this.uploads = requireNonNull(uploads);
        this.directory = requireNonNull(directory);
        this.names = requireNonNull(names);
        this.disks = requireNonNull(disks);
        this.inlineBytes = inlineBytes;
        this.unwanted = requireNonNull(unwanted);
    }

    /**
     * Empty if the task's checkpoints are not where these uploads reach, or are on no file system
     * of Flink's own kind.
     *
     * @param names of files, as Flink draws them
     * @param unwanted deletes a file that may have been stored; any thread, does not block
     */
    static Optional<DirectFiles> of(
            Environment env,
            FileUploads uploads,
            Supplier<String> names,
            Consumer<StreamStateHandle> unwanted)
            throws IOException {
        CheckpointStreamFactory location =
                env.getCheckpointStorageAccess()
                        .resolveCheckpointStorageLocation(
                                1, CheckpointStorageLocationReference.getDefault());
        if (!location.getClass().equals(FsCheckpointStorageLocation.class)) {
            return Optional.empty();
        }
        Path directory = ((FsCheckpointStorageLocation) location).getTaskOwnedStateDirectory();
        return uploads.reaches(directory)
                ? Optional.of(
                        new DirectFiles(
                                uploads,
                                directory,
                                names,
                                env.getIOManager(),
                                inlineBytes(env),
                                unwanted))
                : Optional.empty();
    }

    /** What is no larger is in the checkpoint's metadata. */
    private static int inlineBytes(Environment env) {
        MemorySize configured =
                env.getJobConfiguration()
                        .getOptional(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD)
                        .orElseGet(
                                () ->
                                        env.getTaskManagerInfo()
                                                .getConfiguration()
                                                .get(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD));
        return (int)
                (configured.getBytes() > MOST_INLINE
                                ? CheckpointingOptions.FS_SMALL_FILE_THRESHOLD.defaultValue()
                                : configured)
                        .getBytes();
    }

    /** Decides whether the next file goes this way. */
    synchronized boolean takeNext() {
        if (inVain >= MOST_IN_VAIN) {
            return false;
        }
        if (throttled < MOST_IN_VAIN || passedOver == PASSED_OVER) {
            return true;
        }
        passedOver++;
        return false;
    }

    /** How many files Flink's file system has stored, and these uploads not. */
    synchronized int failures() {
        return failures;
    }

    synchronized void succeeded() {
        inVain = inVain < MOST_IN_VAIN ? 0 : inVain;
        throttled = 0;
        passedOver = 0;
    }

    /**
     * Flink's file system has stored what these uploads could not.
     *
     * @param before the failures when the upload began: of several at a time one counts
     */
    void failed(IOException failure, int before) {
        boolean isThrottled = ThrottledException.isIn(failure);
        boolean isRefused = RefusedException.isIn(failure);
        int soFar;
        synchronized (this) {
            if (failures != before && !(isRefused && inVain < MOST_IN_VAIN)) {
                return;
            }
            failures++;
            passedOver = 0;
            if (isThrottled) {
                soFar = ++throttled;
            } else {
                inVain = isRefused ? MOST_IN_VAIN : inVain + 1;
                throttled = 0;
                soFar = inVain;
            }
        }
        if (isThrottled) {
            tellOfThrottling(failure, soFar);
        } else if (soFar < MOST_IN_VAIN) {
            LOG.warn(
                    "Flink's file system has stored a file of a materialization in {}, as the direct"
                            + " client could not. The next one goes by the direct client again.",
                    directory,
                    failure);
        } else {
            LOG.warn(
                    "The direct client cannot store files of materializations in {}: until this task"
                            + " restarts they go by Flink's file system, which takes more CPU. The"
                            + " cause says whether the store, a proxy before it or the network"
                            + " refuses them.",
                    directory,
                    failure);
        }
    }

    private void tellOfThrottling(IOException failure, int inARow) {
        if (inARow == MOST_IN_VAIN) {
            LOG.warn(
                    "The store throttles files of materializations in {}: the next {} go by Flink's"
                            + " file system, then the direct client tries again: {}",
                    directory,
                    PASSED_OVER,
                    failure.getMessage());
        } else {
            LOG.debug("Flink's file system has stored a file that was throttled", failure);
        }
    }

    /** Flink decides what becomes of files up to this size. */
    int inlineBytes() {
        return inlineBytes;
    }

    /** Of the largest file that goes this way. */
    long maxBytes() {
        return uploads.maxBytes();
    }

    /** The local disk takes no more of a file. Told of once. */
    void noRoom(IOException failure) {
        if (toldOfNoRoom.compareAndSet(false, true)) {
            LOG.warn(
                    "Could not gather a file of a materialization on the local disk: Flink's file"
                            + " system stores it. Look at the disks of io.tmp.dirs.",
                    failure);
        }
    }

    /**
     * A new file on the local disk that has no name, and so ends with the process at the latest.
     */
    FileChannel openLocal() throws IOException {
        return FileChannel.open(
                disks.createChannel().getPathFile().toPath(),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** A path that no file has had. */
    Path newTarget() throws IOException {
        return EntropyInjector.addEntropy(
                directory.getFileSystem(), new Path(directory, names.get()));
    }

    FileUpload upload(Path target, FileChannel content, Runnable progress) {
        return uploads.upload(target, content, progress);
    }

    /** Deletes what a failed upload may have stored. */
    void discard(Path target, long bytes) {
        unwanted.accept(new FileStateHandle(target, bytes));
    }
}
