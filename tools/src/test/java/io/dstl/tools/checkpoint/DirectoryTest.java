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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTest {
    @TempDir java.nio.file.Path root;

    @Test
    void nothingIsInADirectoryThatIsNotThere() throws IOException {
        assertThat(Directory.list(new Path(root.resolve("missing").toUri()))).isEmpty();
        assertThat(Directory.list(new Path(root.toUri()))).isEmpty();
    }

    /** It might have checkpoints, whose files must not be taken for orphans. */
    @Test
    void oneThatCannotBeListedIsNotEmpty() {
        Path tooLong = new Path(root.resolve("n".repeat(300)).toUri());
        assertThatThrownBy(() -> Directory.list(tooLong))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot list")
                .hasMessageContaining(tooLong.getPath());
    }

    /** As Flink's local file system says nothing of the others then. */
    @Test
    void anEntryThatIsNotFoundHidesNoOther() throws IOException {
        Files.createFile(root.resolve("file"));
        Files.createSymbolicLink(root.resolve("leads nowhere"), root.resolve("missing"));

        assertThat(Directory.list(new Path(root.toUri())))
                .noneMatch(FileStatus::isDir)
                .extracting(entry -> entry.getPath().getName())
                .containsExactly("file", "leads nowhere");
    }
}
