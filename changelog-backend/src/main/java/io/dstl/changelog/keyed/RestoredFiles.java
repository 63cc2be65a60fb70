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

import java.util.stream.Stream;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;

/**
 * Which files that a job was started from no checkpoint of it can list, whatever Flink's JobManager
 * is told of them. All of them were made without a changelog.
 */
final class RestoredFiles {
    private RestoredFiles() {}

    /**
     * True of a canonical savepoint, whose files may be deleted as soon as there is a later
     * checkpoint, and whose paths Flink writes into that one as if they were in its own directory;
     * of a {@link #isNativeSavepoint native savepoint} of RocksDB; and of merged files, whose
     * directory goes, and they with it, as soon as no checkpoint lists the operator state that
     * names it.
     */
    static boolean cannotBeListed(KeyedStateHandle handle) {
        return handle instanceof KeyGroupsSavepointStateHandle
                || isNativeSavepoint(handle)
                || files(handle).anyMatch(SegmentFileStateHandle.class::isInstance);
    }

    /**
     * Whether it is RocksDB's part of a native savepoint: what checkpoints share is in the
     * savepoint's own directory, and named by a path that is relative to it. A JobManager that
     * claims the savepoint takes no other handle of such a file, and writes this path into each
     * checkpoint that shares the file, where nothing is found under it.
     */
    static boolean isNativeSavepoint(KeyedStateHandle handle) {
        return handle instanceof IncrementalRemoteKeyedStateHandle
                && shared((IncrementalRemoteKeyedStateHandle) handle)
                        .anyMatch(RelativeFileStateHandle.class::isInstance);
    }

    private static Stream<StreamStateHandle> files(KeyedStateHandle handle) {
        if (handle instanceof IncrementalRemoteKeyedStateHandle) {
            IncrementalRemoteKeyedStateHandle incremental =
                    (IncrementalRemoteKeyedStateHandle) handle;
            return Stream.concat(
                    Stream.of(incremental.getMetaDataStateHandle()),
                    Stream.concat(
                            shared(incremental),
                            incremental.getPrivateState().stream()
                                    .map(HandleAndLocalPath::getHandle)));
        }
        return handle instanceof KeyGroupsStateHandle
                ? Stream.of(((KeyGroupsStateHandle) handle).getDelegateStateHandle())
                : Stream.empty();
    }

    private static Stream<StreamStateHandle> shared(IncrementalRemoteKeyedStateHandle handle) {
        return handle.getSharedState().stream().map(HandleAndLocalPath::getHandle);
    }
}
