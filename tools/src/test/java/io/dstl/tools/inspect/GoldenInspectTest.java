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

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checkpoints that {@code parity} keeps, of one job on both backends. */
class GoldenInspectTest {
    private static final Path GOLDEN = Path.of("../parity/src/test/resources/golden");

    /** As in the checkpoints: absolute paths of this length. */
    private static final String PATH = "/" + "golden-".repeat(40).substring(0, 219);

    @TempDir private Path root;

    @ParameterizedTest
    @ValueSource(strings = {"stock-plain", "stock-compressed", "ours-plain", "ours-compressed"})
    void readsEveryChange(String name) throws IOException {
        JsonNode found = inspect(name);
        assertThat(found.get("damaged")).isEmpty();
        assertThat(found.at("/log/changes").asInt()).isPositive();
        assertThat(found.get("states")).isNotEmpty();
        for (JsonNode state : found.get("states")) {
            assertThat(state.get("state").asText()).doesNotStartWith("#");
        }
        long ofStates = 0;
        for (JsonNode state : found.get("states")) {
            ofStates += state.get("contentBytes").asLong();
        }
        long described = found.at("/log/metadataBytes").asLong();
        assertThat(ofStates + described).isEqualTo(found.at("/log/contentBytes").asLong());
        assertThat(found.at("/log/voidBytes").asLong())
                .isBetween(0L, found.at("/log/judgedBytes").asLong());
    }

    @Test
    void bothBackendsLogTheSameStates() throws IOException {
        assertThat(typesByState(inspect("ours-plain")))
                .isEqualTo(typesByState(inspect("stock-plain")))
                .containsValues("VALUE", "LIST", "MAP", "REDUCING", "AGGREGATING", "TIMERS");
    }

    @Test
    void findsTheTypeOfTheKeysInTheBase() throws IOException {
        JsonNode operators = inspect("stock-compressed").get("operators");
        assertThat(operators).isNotEmpty();
        for (JsonNode operator : operators) {
            assertThat(operator.get("baseBytes").asLong()).isPositive();
            assertThat(operator.get("keyTypeFrom").asText()).isEqualTo("BASE");
        }
    }

    private static Map<String, String> typesByState(JsonNode found) {
        Map<String, String> types = new TreeMap<>();
        for (JsonNode state : found.get("states")) {
            types.put(state.get("state").asText(), state.get("type").asText());
        }
        return types;
    }

    private JsonNode inspect(String name) throws IOException {
        Path directory = unpack(name);
        Path metadata;
        try (Stream<Path> files = Files.walk(directory)) {
            metadata = files.filter(file -> file.endsWith("_metadata")).findFirst().get();
        }
        InspectRun run =
                InspectRun.of(root, () -> 0, metadata.toString(), "--json", "--top", "1000");
        assertThat(run.exitCode).as(run.err + run.out).isZero();
        return run.json();
    }

    private Path unpack(String name) throws IOException {
        Path parent = Files.createDirectories(root.resolve(name));
        Path directory = parent.resolve("x".repeat(PATH.length() - parent.toString().length() - 1));
        try (ZipInputStream in =
                new ZipInputStream(Files.newInputStream(GOLDEN.resolve(name + ".zip")))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path file = directory.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                // One byte a character, so that all other bytes stay as they are.
                String content = new String(in.readAllBytes(), ISO_8859_1);
                Files.write(file, content.replace(PATH, directory.toString()).getBytes(ISO_8859_1));
            }
        }
        return directory;
    }
}
