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
package io.dstl.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The micro benchmark from its command line to its files, with counts too small for figures. */
final class MicroCommandIT {
    private static final String CASE = "value.pojo.uniform.none.";

    @TempDir Path directory;

    @Test
    void eachVariantRunsItsOwnBackendAndGivesItsFigures() throws Exception {
        int exit =
                run(
                        "micro",
                        "--smoke",
                        "--kinds=value",
                        "--serializers=pojo",
                        "--workloads=uniform",
                        "--compressions=none",
                        "--measure=update,log,start",
                        "--log-updates=6000");

        assertThat(exit).isZero();
        JsonNode json = new ObjectMapper().readTree(directory.resolve("micro.json").toFile());
        assertThat(json.at("/loaded/off/keyedBackend").textValue())
                .isEqualTo("org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend");
        assertThat(json.at("/loaded/off/storage").isMissingNode()).isTrue();
        assertThat(json.at("/loaded/stock/keyedBackend").textValue())
                .isEqualTo("org.apache.flink.state.changelog.ChangelogKeyedStateBackend");
        assertThat(json.at("/loaded/stock/storageFrom").textValue()).startsWith("flink-dstl-dfs");
        assertThat(json.at("/loaded/dstl/keyedBackend").textValue())
                .startsWith("io.dstl.changelog.");
        assertThat(json.at("/loaded/dstl/stateBackendFrom").textValue())
                .startsWith("dstl-changelog-");
        assertThat(json.at("/loaded/dstl/storage").textValue()).startsWith("io.dstl.fs.");
        for (String variant : List.of("off", "stock", "dstl")) {
            assertThat(figure(json, variant, "nanos")).isPositive();
            assertThat(figure(json, variant, "taskBytes")).isPositive();
            assertThat(figure(json, variant, "allBytes")).isPositive();
        }
        for (String variant : List.of("stock", "dstl")) {
            assertThat(figure(json, variant, "logBytes")).isPositive();
            assertThat(figure(json, variant, "replayedUpdates")).isPositive();
            assertThat(figure(json, variant, "replayedUpdatesByCpu")).isPositive();
            assertThat(figure(json, variant, "firstReplayedUpdates")).isPositive();
        }
        assertThat(json.at("/conditions/machine").textValue()).contains("cores");
        assertThat(json.at("/conditions/commit").textValue()).isEqualTo("abc");
        assertThat(json.at("/conditions/measured").textValue()).contains("logs of 6,000 updates");
        assertThat(Files.readString(directory.resolve("micro.md"))).contains("value pojo: ns/op");
        assertThat(Files.readString(directory.resolve("micro.html"))).contains("<rect");
    }

    private static double figure(JsonNode json, String variant, String key) {
        return json.path("variants").path(variant).path(CASE + key).path("median").doubleValue();
    }

    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--project=" + Path.of("..").toAbsolutePath().normalize());
        all.add("--run-dir=" + directory.resolve("run"));
        all.add("--results=" + directory);
        all.add("--commit=abc");
        return Main.run(all.toArray(new String[0]));
    }
}
