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
package io.dstl.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The output in docs/operations.md is what the command prints: {@code mvn test -pl tools -am
 * -Dtest=VerifyDocsTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true} writes it anew.
 */
class VerifyDocsTest extends VerifyFixture {
    private static final Path PAGE = Path.of("..", "docs", "operations.md");
    private static final String BEGIN = "<!-- verify: made by VerifyDocsTest, see there -->\n";
    private static final String END = "<!-- end of verify -->";

    @Test
    void theDocsShowWhatIsPrinted() throws IOException {
        flip(first.path(), 8 * (1 + first.offset(1) + 20));
        assertThat(run(older.getParent(), newer.getParent())).isEqualTo(1);
        String printed =
                printed()
                        .lines()
                        .map(line -> line.isEmpty() ? "" : "    " + line)
                        .collect(Collectors.joining("\n", "\n", "\n\n"));

        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + printed + page.substring(end));
            page = Files.readString(PAGE);
            end = page.indexOf(END);
        }
        assertThat(page.substring(begin, end)).isEqualTo(printed);
    }
}
