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
package io.dstl.tools.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * The example in docs/operations.md is what its command prints. {@code mvn test -pl tools -am
 * -Dtest=SizingPageTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true} writes it anew.
 */
class SizingPageTest {
    private static final Path PAGE = Path.of("..", "docs", "operations.md");
    private static final String BEGIN = "<!-- sizing: ";
    private static final String END = "<!-- end of sizing -->";
    private static final String INDENT = "    ";
    private static final String COMMAND = ".jar sizing ";

    @Test
    void theExampleIsWhatTheCommandPrints() throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf('\n', page.indexOf(BEGIN)) + 1;
        int to = page.indexOf(END);
        String example = page.substring(from, to);
        String command = example.strip().lines().findFirst().orElseThrow();

        String made = "\n" + INDENT + command + "\n\n" + indented(output(command)) + "\n";
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page.substring(0, from) + made + page.substring(to));
            example = made;
        }

        assertThat(example).isEqualTo(made);
    }

    private static String output(String command) {
        StringWriter out = new StringWriter();
        CommandLine line = new CommandLine(new SizingCommand());
        line.setOut(new PrintWriter(out));
        String arguments = command.substring(command.indexOf(COMMAND) + COMMAND.length());
        assertThat(line.execute(arguments.split(" "))).as(command).isZero();
        return out.toString();
    }

    private static String indented(String text) {
        StringBuilder indented = new StringBuilder();
        text.lines().forEach(l -> indented.append(l.isEmpty() ? l : INDENT + l).append('\n'));
        return indented.toString();
    }
}
