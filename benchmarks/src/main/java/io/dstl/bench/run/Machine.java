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
package io.dstl.bench.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** What the figures were found on. */
public final class Machine {
    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final double KIB_PER_GIB = 1 << 20;

    private Machine() {}

    /** Cores, processor, memory and Java, as far as the system tells. */
    public static String describe() throws IOException {
        String model = field(CPU, "model name");
        String memory = field(MEMORY, "MemTotal").replace("kB", "").trim();
        return String.format(
                Locale.ROOT,
                "%d cores (%s), %s GiB, Java %s",
                Runtime.getRuntime().availableProcessors(),
                model,
                memory.isEmpty()
                        ? "?"
                        : String.format(Locale.ROOT, "%.0f", Long.parseLong(memory) / KIB_PER_GIB),
                Runtime.version().feature());
    }

    private static String field(Path file, String name) throws IOException {
        if (!Files.isReadable(file)) {
            return "";
        }
        try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("");
        }
    }
}
