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

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletions on a file system that deletes nothing, and does not say why. */
class OrphanHuntTest {
    @TempDir private java.nio.file.Path directory;

    @Test
    void whatIsStillThereWasNotDeleted() throws IOException {
        java.nio.file.Path file = Files.createFile(directory.resolve("there"));

        assertThatThrownBy(() -> OrphanHunt.delete(onSilentFileSystem(file)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gives no reason");
    }

    @Test
    void whatIsGoneAlreadyIsNoFailure() {
        assertThatCode(() -> OrphanHunt.delete(onSilentFileSystem(directory.resolve("gone"))))
                .doesNotThrowAnyException();
    }

    private static Path onSilentFileSystem(java.nio.file.Path file) {
        return new Path(file.toUri()) {
            @Override
            public FileSystem getFileSystem() {
                return new LocalFileSystem() {
                    @Override
                    public boolean delete(Path path, boolean recursive) {
                        return false;
                    }
                };
            }
        };
    }
}
