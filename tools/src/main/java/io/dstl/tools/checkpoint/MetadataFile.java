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

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.util.ExceptionUtils;

/**
 * The {@code _metadata} of one retained checkpoint or savepoint, in any store that Flink has a file
 * system for. Immutable.
 */
public final class MetadataFile {
    public static final String NAME = "_metadata";

    /** How Flink writes the id of a job: a regular expression. */
    public static final String JOB_ID = "[0-9a-f]{32}";

    /** How Flink's error begins where it asks the store for the directory that names are below. */
    private static final String OF_STORE = "Could not parse external pointer";

    private static final Pattern CHECKPOINT = Pattern.compile("chk-[0-9]+");
    private static final Pattern JOB = Pattern.compile(JOB_ID);

    private final Path path;
    private final Path listedAs;
    private final long writtenAt;

    public MetadataFile(FileStatus file) {
        this(file.getPath(), file);
    }

    /**
     * @param path as whoever wrote the file may have spelled it; a file system lists it with the
     *     authority that it has by default, such as HDFS
     */
    public MetadataFile(Path path, FileStatus file) {
        this.path = path;
        this.listedAs = file.getPath();
        this.writtenAt = file.getModificationTime();
    }

    /**
     * @param checkpoint the file, or the directory that it is in
     * @throws java.io.FileNotFoundException if either is missing
     */
    public static MetadataFile at(Path checkpoint) throws IOException {
        FileStatus status = Directory.status(checkpoint);
        if (status.isDir()) {
            Path file = new Path(checkpoint, NAME);
            status = Directory.status(file);
        }
        return new MetadataFile(status);
    }

    public Path path() {
        return path;
    }

    /** The same file as its file system spells it. */
    public Path listedAs() {
        return listedAs;
    }

    /** In ms since the epoch, by the store's clock. */
    public long writtenAt() {
        return writtenAt;
    }

    /**
     * The job that took this checkpoint, by the directory it is in: {@code <job id>/chk-<n>}. Empty
     * for a savepoint, which says nothing of what the job's later checkpoints need, and where
     * checkpoints have no directory of their job.
     */
    public Optional<String> checkpointOf() {
        Path directory = path.getParent();
        Path job = directory.getParent();
        return job != null && isCheckpoint(directory.getName()) && isJob(job.getName())
                ? Optional.of(job.getName())
                : Optional.empty();
    }

    /** Whether it is how Flink writes the id of a job. */
    public static boolean isJob(String text) {
        return JOB.matcher(text).matches();
    }

    /** Whether it is the name of the directory of a checkpoint. */
    public static boolean isCheckpoint(String directory) {
        return CHECKPOINT.matcher(directory).matches();
    }

    /**
     * What is in it; {@link CheckpointWalk} goes through that.
     *
     * @throws NoMetadataException if it is nothing that this Flink can read
     * @throws TooLargeException if memory is too short for what it seems to be
     * @throws IOException if it isn't there, or the store fails
     */
    public CheckpointMetadata read() throws IOException {
        InputStream content = content();
        try {
            return parse(content);
        } catch (TooLargeException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            if (ExceptionUtils.findThrowableWithMessage(e, OF_STORE).isPresent()) {
                throw e;
            }
            throw new NoMetadataException(e);
        }
    }

    /**
     * All its bytes, for {@link #parse}: so that a failure of the store is none of the content.
     *
     * @throws TooLargeException if memory is too short
     * @throws IOException if it isn't there, or the store fails
     */
    private InputStream content() throws IOException {
        try (InputStream in = path.getFileSystem().open(path)) {
            return new ByteArrayInputStream(in.readAllBytes());
        } catch (OutOfMemoryError e) {
            throw new TooLargeException(e);
        }
    }

    /**
     * @param content is closed
     * @throws TooLargeException if memory is too short for what it seems to be
     * @throws IOException if it is nothing that this Flink can read, or the store fails where Flink
     *     asks it for the directory of the checkpoint
     */
    CheckpointMetadata parse(InputStream content) throws IOException {
        try (DataInputStream in = new DataInputStream(content)) {
            return Checkpoints.loadCheckpointMetadata(
                    in, MetadataFile.class.getClassLoader(), path.toString());
        } catch (OutOfMemoryError e) {
            // Flink allocates what a length says that was read, damaged or not.
            throw new TooLargeException(e);
        }
    }

    /** What was read to its end, and is nothing that this Flink can read as metadata. */
    public static final class NoMetadataException extends IOException {
        private static final long serialVersionUID = 1L;

        private NoMetadataException(Exception cause) {
            super(
                    "it is nothing that this Flink can read as metadata: " + cause.getMessage(),
                    cause);
        }
    }

    /** What needs more memory than there is, which may be damage, too. */
    public static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        private TooLargeException(OutOfMemoryError cause) {
            super("it is damaged, or needs more memory than this process may have (-Xmx)", cause);
        }
    }
}
