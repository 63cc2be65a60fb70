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

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that the delegate makes on the local disk for one snapshot, which discarding the
 * snapshot leaves behind.
 */
final class LocalSnapshotDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(LocalSnapshotDirectory.class);

    private LocalSnapshotDirectory() {}

    /** Blocks for the disk. Without effect if something is in it, or if there is none. */
    static void deleteOf(StateObject discarded) {
        of(discarded).ifPresent(LocalSnapshotDirectory::delete);
    }

    private static Optional<Path> of(StateObject snapshot) {
        if (snapshot instanceof IncrementalLocalKeyedStateHandle) {
            return Optional.of(
                    ((IncrementalLocalKeyedStateHandle) snapshot)
                            .getDirectoryStateHandle()
                            .getDirectory()
                            .getParent());
        }
        if (snapshot instanceof KeyGroupsStateHandle) {
            StreamStateHandle content = ((KeyGroupsStateHandle) snapshot).getDelegateStateHandle();
            if (content instanceof FileStateHandle) {
                return Optional.of(
                        Path.of(((FileStateHandle) content).getFilePath().toUri()).getParent());
            }
        }
        return Optional.empty();
    }

    private static void delete(Path directory) {
        try {
            Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("{} is still in use", directory, e);
        } catch (IOException e) {
            LOG.debug("Could not delete {}; it goes with the task's local state", directory, e);
        }
    }
}
