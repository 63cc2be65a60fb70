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
package io.dstl.fs.backup;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * How files of backups are named, so that a reader can tell one from a segment in the store. Inside
 * they are plain segments of one change set.
 */
public final class BackupFile {

    private static final String SUFFIX = ".backup";

    private BackupFile() {}

    static Path in(Path directory, String name) {
        return directory.resolve(name + SUFFIX);
    }

    /** Whether a handle is that of a backup on a local disk. */
    public static boolean isHandle(StreamStateHandle handle) {
        return handle instanceof FileStateHandle
                && ((FileStateHandle) handle).getFilePath().getName().endsWith(SUFFIX);
    }

    /** The file of a backup's handle. */
    static Path of(StreamStateHandle handle) {
        return Path.of(((FileStateHandle) handle).getFilePath().toUri());
    }

    /** The files of all backups that logs refer to. */
    static Set<Path> of(Collection<? extends ChangelogStateHandle> logs) {
        return logs.stream()
                .filter(ChangelogStateHandleStreamImpl.class::isInstance)
                .map(ChangelogStateHandleStreamImpl.class::cast)
                .flatMap(log -> log.getHandlesAndOffsets().stream())
                .map(location -> location.f0)
                .filter(BackupFile::isHandle)
                .map(BackupFile::of)
                .collect(Collectors.toSet());
    }
}
