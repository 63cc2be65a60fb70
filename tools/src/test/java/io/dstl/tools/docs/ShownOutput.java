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
package io.dstl.tools.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * A command's output in docs/operations.md, between two comments, made by one test. With {@code
 * -Ddocs.write=true} it is written anew, otherwise it has to be what the command prints.
 */
public final class ShownOutput {
    private static final Path PAGE = Path.of("..", "docs", "operations.md");

    private final String begin;
    private final String end;

    /**
     * @param command whose output it is
     * @param test that makes it
     */
    public ShownOutput(String command, Class<?> test) {
        this.begin = "<!-- " + command + ": made by " + test.getSimpleName() + ", see there -->\n";
        this.end = "<!-- end of " + command + " -->";
    }

    /** Holds the page to what was printed, or writes it. */
    public void assertShows(String printed) throws IOException {
        String expected =
                printed.lines()
                        .map(line -> line.isEmpty() ? "" : "    " + line)
                        .collect(Collectors.joining("\n", "\n", "\n\n"));
        String page = Files.readString(PAGE);
        assertThat(page).contains(begin).contains(end);
        if (Boolean.getBoolean("docs.write")) {
            page = before(page) + expected + page.substring(page.indexOf(end));
            Files.writeString(PAGE, page);
        }
        assertThat(page.substring(before(page).length(), page.indexOf(end))).isEqualTo(expected);
    }

    private String before(String page) {
        return page.substring(0, page.indexOf(begin) + begin.length());
    }
}
