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
package io.dstl.tools.cli;

import io.dstl.secret.Redaction.Redacted;
import java.io.IOException;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;

/** The file systems of the paths that a command was given. */
public final class StoreOfPath {
    private StoreOfPath() {}

    /**
     * @param argument the option, parameter or key that names the path
     * @throws CommandFailure if this Flink has no file system of that scheme
     * @throws IOException if it has one that can't be started
     */
    public static FileSystem of(String argument, Path path) throws IOException, CommandFailure {
        try {
            return path.getFileSystem();
        } catch (UnsupportedFileSystemSchemeException e) {
            throw CommandFailure.usage(
                    argument
                            + " is "
                            + Redacted.of(path)
                            + ", and this Flink has no file system for "
                            + path.toUri().getScheme()
                            + ": put its plugin into plugins/, or correct the path");
        }
    }
}
