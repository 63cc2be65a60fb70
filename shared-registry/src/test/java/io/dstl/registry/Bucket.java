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
package io.dstl.registry;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** A directory of real files, with handles to them as Flink has them. */
final class Bucket {

    private final File directory;
    private int objectsSoFar;

    Bucket(File directory) {
        this.directory = directory;
    }

    FileStateHandle put(String kind) {
        String name = kind + "-" + objectsSoFar++;
        byte[] content = name.getBytes(StandardCharsets.UTF_8);
        try {
            File file = new File(directory, name);
            Files.write(file.toPath(), content);
            return new FileStateHandle(Path.fromLocalFile(file), content.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Set<String> listing() {
        return new TreeSet<>(Arrays.asList(directory.list()));
    }

    static String name(StreamStateHandle object) {
        return ((FileStateHandle) object).getFilePath().getName();
    }

    /** The names of all objects that a keyed state handle of a checkpoint refers to. */
    static Set<String> objectsOf(KeyedStateHandle handle) {
        Set<String> objects = new TreeSet<>();
        if (handle instanceof ChangelogStateBackendHandle) {
            ChangelogStateBackendHandle changelog = (ChangelogStateBackendHandle) handle;
            changelog.getMaterializedStateHandles().forEach(h -> objects.addAll(objectsOf(h)));
            changelog.getNonMaterializedStateHandles().forEach(h -> objects.addAll(objectsOf(h)));
        } else if (handle instanceof ChangelogStateHandleStreamImpl) {
            ((ChangelogStateHandleStreamImpl) handle)
                    .getHandlesAndOffsets()
                    .forEach(segment -> objects.add(name(segment.f0)));
        } else {
            objects.add(name(((KeyGroupsStateHandle) handle).getDelegateStateHandle()));
        }
        return objects;
    }
}
