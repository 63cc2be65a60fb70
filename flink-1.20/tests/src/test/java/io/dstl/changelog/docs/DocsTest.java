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
package io.dstl.changelog.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.option.JobOptions;
import io.dstl.fs.option.DstlOptions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages of docs/ say what the code does. {@code mvn test -pl flink-1.20/tests -am
 * -Dtest=DocsTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true} writes what is
 * generated anew.
 */
class DocsTest {
    private static final String OPTIONS = "options";
    private static final List<Class<?>> FLINKS_OPTIONS =
            Arrays.asList(
                    CheckpointingOptions.class,
                    CoreOptions.class,
                    JobManagerOptions.class,
                    RestOptions.class,
                    StateBackendOptions.class,
                    TaskManagerOptions.class,
                    WebOptions.class);

    /** Of the S3 plugins, which no class path of ours has. */
    private static final List<String> PLUGIN_KEYS =
            Arrays.asList("s3.endpoint", "s3.path.style.access", "s3.access-key", "s3.secret-key");

    private static final Pattern TEST = Pattern.compile("(\\w+(?:Test|IT))(?:#(\\w+))?");
    private static final Pattern CHANGELOG_KEY =
            Pattern.compile(
                    "(?m)^(?:# )?((?:dstl\\.dfs|state\\.changelog|state\\.backend\\.changelog)"
                            + "\\.[a-z0-9.-]+): ");

    /** Set, not commented out. */
    private static final Pattern ANY_KEY = Pattern.compile("(?m)^([A-Za-z0-9.-]+): ");

    @Test
    void theOptionsAreThoseOfTheClasses() throws IOException {
        Page page = Page.read("configuration.md");
        if (Boolean.getBoolean("docs.write")) {
            page.replaceGenerated(OPTIONS, OptionTable.render());
            page = Page.read("configuration.md");
        }

        assertThat(page.generated(OPTIONS)).isEqualTo(OptionTable.render());
    }

    @Test
    void eachMessageOfTheLogIsExplained() throws IOException {
        Map<String, String> explained = new TreeMap<>();
        for (List<String> row : Page.read("operations.md").table("message")) {
            explained.put(Page.code(row.get(0)).get(0), row.get(1));
            assertThat(row).as(row.get(0)).hasSize(3).doesNotContain("");
        }

        assertThat(explained)
                .as("the messages in docs/operations.md, beside those in the sources")
                .isEqualTo(LogMessages.find());
    }

    /** A class in a package of Flink would log by that name. */
    @Test
    void eachLoggerIsBelowOurs() throws IOException {
        for (Path source : LogMessages.sources()) {
            String text = Files.readString(source);
            if (text.contains("getLogger(")) {
                assertThat(text)
                        .as("%s", source)
                        .containsPattern("package io\\.dstl|\\(\"io\\.dstl\\.");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"limits-and-capabilities.md", "faults.md"})
    void eachTestThatARowNamesIsThere(String name) throws IOException {
        Page page = Page.read(name);
        List<List<String>> rows = new ArrayList<>(page.table("Flink's documentation"));
        rows.addAll(page.table("#"));

        assertThat(rows).isNotEmpty();
        for (List<String> row : rows) {
            List<String> tests =
                    Page.code(row.get(row.size() - 1)).stream()
                            .filter(code -> TEST.matcher(code).matches())
                            .collect(Collectors.toList());
            assertThat(tests).as("tests of: " + row.get(0)).isNotEmpty();
            for (String test : tests) {
                assertExists(test);
            }
        }
    }

    private static void assertExists(String test) throws IOException {
        Matcher matcher = TEST.matcher(test);
        assertThat(matcher.matches()).as(test).isTrue();
        List<Path> sources = sources(matcher.group(1) + ".java");
        assertThat(sources).as(test).isNotEmpty();
        if (matcher.group(2) != null) {
            boolean found = false;
            for (Path source : sources) {
                found |= Files.readString(source).contains("void " + matcher.group(2) + "(");
            }
            assertThat(found).as(test).isTrue();
        }
    }

    private static List<Path> sources(String fileName) throws IOException {
        try (Stream<Path> modules = Files.list(Page.ROOT)) {
            List<Path> found = new ArrayList<>();
            for (Path module : modules.collect(Collectors.toList())) {
                for (String place : List.of("src/test/java", "tests/src/test/java")) {
                    Path tests = module.resolve(place);
                    if (Files.isDirectory(tests)) {
                        try (Stream<Path> files = Files.walk(tests)) {
                            files.filter(file -> file.endsWith(fileName)).forEach(found::add);
                        }
                    }
                }
            }
            return found;
        }
    }

    @Test
    void theSampleNamesEachOptionOfTheChangelog() throws IOException {
        List<ConfigOption<?>> options = new ArrayList<>(DstlOptions.ALL);
        options.addAll(JobOptions.ALL);

        TreeSet<String> named = namedInTheSample(CHANGELOG_KEY);

        assertThat(keys(options)).containsAll(named);
        assertThat(named).hasSize(options.size());
    }

    @Test
    void theSampleSetsKeysThatThereAre() throws Exception {
        List<ConfigOption<?>> options = new ArrayList<>(DstlOptions.ALL);
        options.addAll(JobOptions.ALL);
        for (Class<?> holder : FLINKS_OPTIONS) {
            for (Field field : holder.getFields()) {
                if (field.getType() == ConfigOption.class) {
                    options.add((ConfigOption<?>) field.get(null));
                }
            }
        }
        TreeSet<String> known = keys(options);
        known.addAll(PLUGIN_KEYS);

        assertThat(known).containsAll(namedInTheSample(ANY_KEY));
    }

    private static TreeSet<String> keys(List<ConfigOption<?>> options) {
        TreeSet<String> keys = new TreeSet<>();
        for (ConfigOption<?> option : options) {
            keys.add(option.key());
            option.fallbackKeys().forEach(key -> keys.add(key.getKey()));
        }
        return keys;
    }

    private static TreeSet<String> namedInTheSample(Pattern pattern) throws IOException {
        Path sample = Page.ROOT.resolve("conf").resolve("flink-conf.yaml");
        Matcher keys = pattern.matcher(Files.readString(sample));
        TreeSet<String> named = new TreeSet<>();
        while (keys.find()) {
            named.add(keys.group(1));
        }
        return named;
    }

    /** A page of docs/, with a generated part or with tables that are checked. */
    static final class Page {
        static final Path ROOT = Path.of("..");

        private static final Pattern CODE = Pattern.compile("`([^`]+)`");

        private final Path file;
        private final String text;

        private Page(Path file, String text) {
            this.file = file;
            this.text = text;
        }

        static Page read(String name) throws IOException {
            Path file = ROOT.resolve("docs").resolve(name);
            return new Page(file, Files.readString(file));
        }

        /** What is between two lines, which begin the same comment. */
        String generated(String comment) {
            return text.substring(begin(comment), end(comment));
        }

        void replaceGenerated(String comment, String content) throws IOException {
            Files.writeString(
                    file,
                    text.substring(0, begin(comment)) + content + text.substring(end(comment)));
        }

        private int begin(String comment) {
            return text.indexOf('\n', text.indexOf("<!-- " + comment)) + 1;
        }

        private int end(String comment) {
            return text.indexOf("<!-- end of " + comment);
        }

        /** The cells of each row of the table that begins with this column; as many in each. */
        List<List<String>> table(String firstColumn) {
            List<List<String>> rows = new ArrayList<>();
            int columns = 0;
            boolean inside = false;
            for (String line : text.split("\n")) {
                if (line.startsWith("| " + firstColumn + " |")) {
                    inside = true;
                    columns = cells(line).size();
                } else if (!line.startsWith("|")) {
                    inside = false;
                } else if (inside && !line.startsWith("| --")) {
                    assertThat(cells(line)).hasSize(columns);
                    rows.add(cells(line));
                }
            }
            return rows;
        }

        private static List<String> cells(String line) {
            List<String> cells = new ArrayList<>();
            for (String cell : line.substring(1, line.length() - 1).split("(?<!\\\\)\\|")) {
                cells.add(cell.trim());
            }
            return cells;
        }

        /** What is in code type. */
        static List<String> code(String cell) {
            List<String> code = new ArrayList<>();
            Matcher matcher = CODE.matcher(cell);
            while (matcher.find()) {
                code.add(matcher.group(1));
            }
            return code;
        }
    }

    /** Each message that main code logs at INFO or above, as it stands in the sources. */
    private static final class LogMessages {
        private static final List<String> MODULES =
                Arrays.asList(
                        "shared-registry",
                        "segment-store",
                        "segment-store-s3",
                        "dstl-fs",
                        "materializer",
                        "changelog-backend",
                        "flink-1.20");

        private static final Pattern CALL =
                Pattern.compile(
                        "LOG\\.(info|warn|error)\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*\\+?\\s*)+)");

        private static final Pattern ANY_CALL = Pattern.compile("LOG\\.(info|warn|error)\\(");
        private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

        private LogMessages() {}

        /** The message, with its place holders, and its level in capitals. */
        static Map<String, String> find() throws IOException {
            Map<String, String> messages = new TreeMap<>();
            for (Path source : sources()) {
                String text = Files.readString(source);
                Matcher call = CALL.matcher(text);
                int found = 0;
                while (call.find()) {
                    messages.put(joined(call.group(2)), call.group(1).toUpperCase(Locale.ROOT));
                    found++;
                }
                if (found != ANY_CALL.matcher(text).results().count()) {
                    throw new IllegalStateException(
                            source
                                    + " logs a message that is not a literal: it can't be documented");
                }
            }
            return messages;
        }

        static List<Path> sources() throws IOException {
            List<Path> all = new ArrayList<>();
            for (String module : MODULES) {
                all.addAll(sources(module));
            }
            return all;
        }

        private static List<Path> sources(String module) throws IOException {
            try (Stream<Path> files =
                    Files.walk(DocsTest.Page.ROOT.resolve(module).resolve("src/main"))) {
                return files.filter(file -> file.toString().endsWith(".java"))
                        .sorted()
                        .collect(Collectors.toList());
            }
        }

        private static String joined(String literals) {
            StringBuilder message = new StringBuilder();
            Matcher literal = LITERAL.matcher(literals);
            while (literal.find()) {
                message.append(literal.group(1));
            }
            return message.toString();
        }
    }
}
