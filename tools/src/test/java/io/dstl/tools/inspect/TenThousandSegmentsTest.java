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
package io.dstl.tools.inspect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.DstlCommand;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A checkpoint of ten thousand segments, verified and inspected by processes with little memory.
 * What the docs say of the time was measured by this test: {@code -Ddocs.write=true}, on an idle
 * machine.
 */
class TenThousandSegmentsTest {
    private static final int SEGMENTS = 10_000;
    private static final int TASKS = 4;
    private static final int CHANGES = 20;
    private static final int HEAP_MB = 64;

    private static final Path PAGE = Path.of("..", "docs", "operations.md");

    private static final Pattern SHOWN =
            Pattern.compile(
                    "10,000 segments, [\\d.]+ MB on a local disk, in a heap of 64 MB: `verify`"
                            + " ([\\d.]+) s, `inspect` ([\\d.]+) s");

    @TempDir private Path root;

    /** The command in a process of its own. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            List<String> command = List.of(arguments).subList(1, arguments.length);
            int exitCode =
                    DstlCommand.commandLine(Optional.of(Path.of(arguments[0])), () -> 0)
                            .execute(command.toArray(new String[0]));
            long uptime = ManagementFactory.getRuntimeMXBean().getUptime();
            System.out.println("took " + uptime + " ms, the start of Java included");
            System.exit(exitCode);
        }
    }

    @Test
    void takeLittleMemory() throws Exception {
        WrittenLog log = new WrittenLog(root, 0);
        Path checkpoint = checkpoint(log);
        Files.createDirectories(root.resolve("home/conf"));
        Files.createFile(root.resolve("home/conf/flink-conf.yaml"));

        double verify = seconds(run("verify", checkpoint), "checksums: 10,000, in bytes ");
        double inspect = seconds(run("inspect", checkpoint), " in 10,000 segments of ");

        String line =
                String.format(
                        Locale.ROOT,
                        "10,000 segments, %.1f MB on a local disk, in a heap of %d MB: `verify`"
                                + " %.1f s, `inspect` %.1f s",
                        bytes(log) / 1e6,
                        HEAP_MB,
                        verify,
                        inspect);
        Matcher shown = SHOWN.matcher(Files.readString(PAGE));
        assertThat(shown.find()).as("in the docs: %s", line).isTrue();
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, shown.replaceFirst(line));
        }
    }

    /** What is shown was measured; that it is little is for the reader, and for nobody's clock. */
    @Test
    void theDocsSayLessThanTenSeconds() throws IOException {
        Matcher shown = SHOWN.matcher(Files.readString(PAGE));
        assertThat(shown.find()).isTrue();
        assertThat(Double.parseDouble(shown.group(1))).isLessThan(10);
        assertThat(Double.parseDouble(shown.group(2))).isLessThan(10);
    }

    private static Path checkpoint(WrittenLog log) throws IOException {
        List<List<Object>> ofTasks = new ArrayList<>();
        for (int task = 0; task < TASKS; task++) {
            ofTasks.add(new ArrayList<>());
        }
        for (int i = 0; i < SEGMENTS; i++) {
            WrittenLog.Indexed segment =
                    log.indexed("segment-" + i, true, List.<byte[][]>of(changes(i)));
            List<Object> sets = ofTasks.get(i % TASKS);
            sets.add(segment.handle);
            sets.add(segment.offsets.get(0));
        }
        return log.checkpoint(
                ofTasks.stream()
                        .map(sets -> WrittenLog.changelog(WrittenLog.log(1, sets.toArray())))
                        .toArray(KeyedStateHandle[]::new));
    }

    private static byte[][] changes(int segment) {
        List<byte[]> records = new ArrayList<>();
        if (segment < TASKS) {
            records.add(
                    Records.describe(
                            0, "state", StateDescriptor.Type.VALUE, StringSerializer.INSTANCE));
        }
        for (int i = 0; i < CHANGES; i++) {
            records.add(Records.set(0, "key-" + segment + "-" + i, "of " + segment));
        }
        return records.toArray(new byte[0][]);
    }

    private String run(String command, Path checkpoint) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx" + HEAP_MB + "m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                root.resolve("home").toString(),
                                command,
                                checkpoint.toString())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static double seconds(String output, String expected) {
        assertThat(output).contains(expected);
        Matcher matcher = Pattern.compile("took (\\d+) ms").matcher(output);
        assertThat(matcher.find()).as(output).isTrue();
        return Integer.parseInt(matcher.group(1)) / 1000.0;
    }

    private static long bytes(WrittenLog log) throws IOException {
        try (Stream<Path> files = Files.list(log.directory())) {
            return files.map(Path::toFile).mapToLong(File::length).sum();
        }
    }
}
