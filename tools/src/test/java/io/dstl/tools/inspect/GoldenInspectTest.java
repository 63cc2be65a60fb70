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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.GoldenCheckpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checkpoints that {@code parity} keeps, of one job on both backends. */
class GoldenInspectTest {
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
        // What is given is for operators of which nothing tells.
        JsonNode operators = inspect("stock-compressed", "--key-type", "string").get("operators");
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

    private JsonNode inspect(String name, String... options) throws IOException {
        Path metadata = new GoldenCheckpoint(name, root).metadata();
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of(metadata.toString(), "--json", "--top", "1000"));
        InspectRun run = InspectRun.of(root, () -> 0, arguments.toArray(new String[0]));
        assertThat(run.exitCode).as(run.err + run.out).isZero();
        return run.json();
    }
}
