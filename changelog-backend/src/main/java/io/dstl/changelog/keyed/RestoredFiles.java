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

import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;

/**
 * Finds the files of the restored checkpoint or savepoint that checkpoints of the job can't list,
 * or not for long. All of them were made without a changelog.
 */
final class RestoredFiles {
    /** Names of directories that Flink's {@code FsCheckpointStorageAccess} gives checkpoints. */
    private static final Pattern OF_CHECKPOINTS = Pattern.compile("chk-\\d+|shared");

    private static final Pattern OF_A_JOB = Pattern.compile("[0-9a-f]{32}");

    private RestoredFiles() {}

    /**
     * True for a canonical savepoint, whose files may be deleted once there is a later checkpoint,
     * and whose paths Flink writes into that checkpoint as if they were in its directory; for a
     * {@link #isNativeSavepoint native savepoint} of RocksDB; and for merged files, which are
     * deleted with their directory once no checkpoint lists the operator state that names it.
     */
    static boolean cannotBeListed(KeyedStateHandle handle) {
        return handle instanceof KeyGroupsSavepointStateHandle
                || isNativeSavepoint(handle)
                || files(handle).anyMatch(SegmentFileStateHandle.class::isInstance);
    }

    /**
     * Whether files belong to a checkpoint that this job has taken itself without a changelog, and
     * so are deleted with it: all that are not shared between checkpoints. RocksDB's own, such as
     * its manifest, are in the directory of the shared ones as a rule. A JobManager keeps them only
     * if it has restored the checkpoint. If it has not, and just the TaskManagers were restarted
     * with the changelog turned on, later checkpoints would list files that are gone.
     */
    static boolean isOfCheckpoint(KeyedStateHandle handle, JobID job) {
        return unshared(handle)
                .filter(FileStateHandle.class::isInstance)
                .map(file -> ((FileStateHandle) file).getFilePath().getParent())
                .anyMatch(directory -> isOfCheckpoints(directory, job));
    }

    /**
     * False for the directory of files that belong to a task, as all of a materialization do.
     * Without subdirectories ({@code create-subdir: false}) a path does not tell the job.
     */
    private static boolean isOfCheckpoints(Path directory, JobID job) {
        if (!OF_CHECKPOINTS.matcher(directory.getName()).matches()) {
            return false;
        }
        Path parent = directory.getParent();
        return parent == null
                || parent.getName().equals(job.toHexString())
                || !OF_A_JOB.matcher(parent.getName()).matches();
    }

    /**
     * Whether the handle is RocksDB's part of a native savepoint: its shared files are in the
     * savepoint's directory, under relative paths. A JobManager that claims the savepoint takes no
     * other handle of such a file. It writes this path into each checkpoint that shares the file,
     * where the path leads nowhere.
     */
    static boolean isNativeSavepoint(KeyedStateHandle handle) {
        return handle instanceof IncrementalRemoteKeyedStateHandle
                && shared((IncrementalRemoteKeyedStateHandle) handle)
                        .anyMatch(RelativeFileStateHandle.class::isInstance);
    }

    /** Of a handle of RocksDB or of the heap; of any other none. */
    static Stream<StreamStateHandle> files(KeyedStateHandle handle) {
        return handle instanceof IncrementalRemoteKeyedStateHandle
                ? Stream.concat(
                        unshared(handle), shared((IncrementalRemoteKeyedStateHandle) handle))
                : unshared(handle);
    }

    private static Stream<StreamStateHandle> unshared(KeyedStateHandle handle) {
        if (handle instanceof IncrementalRemoteKeyedStateHandle) {
            IncrementalRemoteKeyedStateHandle incremental =
                    (IncrementalRemoteKeyedStateHandle) handle;
            return Stream.concat(
                    Stream.of(incremental.getMetaDataStateHandle()),
                    incremental.getPrivateState().stream().map(HandleAndLocalPath::getHandle));
        }
        return handle instanceof KeyGroupsStateHandle
                ? Stream.of(((KeyGroupsStateHandle) handle).getDelegateStateHandle())
                : Stream.empty();
    }

    private static Stream<StreamStateHandle> shared(IncrementalRemoteKeyedStateHandle handle) {
        return handle.getSharedState().stream().map(HandleAndLocalPath::getHandle);
    }
}
