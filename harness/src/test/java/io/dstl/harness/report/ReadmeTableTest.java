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
package io.dstl.harness.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadmeTableTest {
    @TempDir Path directory;

    @Test
    void replacesTheLastTableAndNothingElse() throws IOException {
        Path readme = readme("before\n" + ReadmeTable.BEGIN + ReadmeTable.END + "after\n");

        ReadmeTable.replace(readme, "| first |\n");
        ReadmeTable.replace(readme, "| second |\n");

        assertThat(readme)
                .hasContent(
                        "before\n"
                                + ReadmeTable.BEGIN
                                + "| second |\n"
                                + ReadmeTable.END
                                + "after\n");
    }

    @Test
    void refusesAFileWithoutAPlaceForIt() throws IOException {
        Path readme = readme("before\n" + ReadmeTable.BEGIN + "after\n");

        assertThatThrownBy(() -> ReadmeTable.replace(readme, "| first |\n"))
                .hasMessageContaining("has no place for the table");
        assertThat(readme).hasContent("before\n" + ReadmeTable.BEGIN + "after\n");
    }

    private Path readme(String text) throws IOException {
        return Files.writeString(directory.resolve("README.md"), text);
    }
}
