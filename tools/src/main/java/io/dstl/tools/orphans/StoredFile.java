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

import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/** One object that has the name of a segment or of a state file, as the store lists it. */
final class StoredFile {
    private final StoredName name;
    private final Path path;
    private final long bytes;
    private final long writtenAt;

    StoredFile(StoredName name, FileStatus file) {
        this.name = name;
        this.path = file.getPath();
        this.bytes = file.getLen();
        this.writtenAt = file.getModificationTime();
    }

    StoredName name() {
        return name;
    }

    Path path() {
        return path;
    }

    long bytes() {
        return bytes;
    }

    /** In ms since the epoch, by the store's clock. */
    long writtenAt() {
        return writtenAt;
    }
}
