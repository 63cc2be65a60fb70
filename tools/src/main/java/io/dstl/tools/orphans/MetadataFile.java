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

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;

/** The {@code _metadata} of one retained checkpoint or savepoint. */
final class MetadataFile {
    static final String NAME = "_metadata";

    private static final Pattern CHECKPOINT = Pattern.compile("chk-[0-9]+");

    private final Path path;
    private final long writtenAt;

    MetadataFile(FileStatus file) {
        this.path = file.getPath();
        this.writtenAt = file.getModificationTime();
    }

    Path path() {
        return path;
    }

    /** In ms since the epoch, by the store's clock. */
    long writtenAt() {
        return writtenAt;
    }

    /**
     * The job that took this checkpoint, by the directory it is in: {@code <job id>/chk-<n>}. Empty
     * for a savepoint, which says nothing of what the job's later checkpoints need, and where
     * checkpoints have no directory of their job.
     */
    Optional<String> checkpointOf() {
        Path directory = path.getParent();
        Path job = directory.getParent();
        return job != null && isCheckpoint(directory.getName()) && StoredName.isJob(job.getName())
                ? Optional.of(job.getName())
                : Optional.empty();
    }

    static boolean isCheckpoint(String directory) {
        return CHECKPOINT.matcher(directory).matches();
    }

    /**
     * Gives all files that it refers to.
     *
     * @throws IOException if it isn't there, or is nothing that Flink 1.20 can read
     */
    void read(Consumer<Path> references) throws IOException {
        try (DataInputStream in = new DataInputStream(path.getFileSystem().open(path))) {
            new ReferenceWalk(references)
                    .walk(
                            Checkpoints.loadCheckpointMetadata(
                                    in, MetadataFile.class.getClassLoader(), path.toString()));
        }
    }
}
