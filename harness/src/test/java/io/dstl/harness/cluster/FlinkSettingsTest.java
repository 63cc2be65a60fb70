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
package io.dstl.harness.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.harness.cluster.ClusterFiles.FlinkSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlinkSettingsTest {
    @TempDir Path directory;

    @Test
    void readsKeysAndValuesAndNoComments() throws IOException {
        FlinkSettings settings =
                read("# a comment", "", "s3.endpoint: http://host:9000", "  a.b:   c d  ");

        assertThat(settings.get("s3.endpoint")).contains("http://host:9000");
        assertThat(settings.get("a.b")).contains("c d");
        assertThat(settings.get("# a comment")).isEmpty();
        assertThat(settings.arguments("a.b")).containsExactly("c", "d");
        assertThat(settings.arguments("none")).isEmpty();
    }

    @Test
    void overridesReplaceOrFollow() throws IOException {
        Path written = directory.resolve("written");
        read("a: 1", "b: 2").with(Map.of("a", "3")).with(Map.of("c", "4")).write(written);

        assertThat(Files.readAllLines(written)).containsExactly("a: 3", "b: 2", "c: 4");
    }

    @Test
    void namesTheLineThatIsNoSetting() {
        assertThatThrownBy(() -> read("a: 1", "env:", "  java: 11"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 2 is 'env:'")
                .hasMessageContaining("key: value");
    }

    @Test
    void refusesAKeyThatIsSetTwice() {
        assertThatThrownBy(() -> read("a: 1", "b: 2", "a: 3"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 3 sets 'a' a second time");
    }

    private FlinkSettings read(String... lines) throws IOException {
        return FlinkSettings.read(Files.write(directory.resolve("conf"), List.of(lines)));
    }
}
