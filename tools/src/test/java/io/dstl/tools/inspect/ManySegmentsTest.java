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

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A log of many small segments. With {@code -Ddstl.inspect.segments=10000} the times of the tests
 * are those that matter by hand: the segments are written before them.
 */
class ManySegmentsTest {
    private static final int SEGMENTS = Integer.getInteger("dstl.inspect.segments", 1_000);
    private static final int OPERATORS = 4;
    private static final int KEYS = 50;

    @TempDir private static Path root;

    private static Path checkpoint;

    @BeforeAll
    static void write() throws IOException {
        WrittenLog log = new WrittenLog(root, 0);
        List<List<Object>> sets = new ArrayList<>();
        for (int operator = 0; operator < OPERATORS; operator++) {
            sets.add(new ArrayList<>());
        }
        for (int i = 0; i < SEGMENTS; i++) {
            byte[] change = Records.set(0, "key-" + (10 + i / OPERATORS % KEYS), "value");
            byte[][] records =
                    i < OPERATORS
                            ? new byte[][] {
                                Records.describe(
                                        0,
                                        "state",
                                        StateDescriptor.Type.VALUE,
                                        StringSerializer.INSTANCE),
                                change
                            }
                            : new byte[][] {change};
            StreamStateHandle segment = log.plain("segment-" + i, records);
            sets.get(i % OPERATORS).add(segment);
            sets.get(i % OPERATORS).add(0L);
        }
        checkpoint =
                log.checkpoint(
                        sets.stream()
                                .map(ofOne -> WrittenLog.log(1, ofOne.toArray()))
                                .map(ofOne -> WrittenLog.changelog(ofOne))
                                .toArray(KeyedStateHandle[]::new));
    }

    @Test
    void allOfACheckpointAreCounted() throws IOException {
        JsonNode found = InspectRun.of(root, () -> 0, checkpoint.toString(), "--json").json();
        assertThat(found.get("damaged")).isEmpty();
        assertThat(found.at("/log/segments").asInt()).isEqualTo(SEGMENTS);
        assertThat(found.at("/log/changeSets").asInt()).isEqualTo(SEGMENTS);
        assertThat(found.at("/log/changes").asInt()).isEqualTo(SEGMENTS + OPERATORS);
        JsonNode state = found.at("/states/0");
        long each = state.get("contentBytes").asLong() / (SEGMENTS / OPERATORS);
        assertThat(state.get("voidBytes").asLong()).isEqualTo((SEGMENTS / OPERATORS - KEYS) * each);
    }

    @Test
    void allOfABasePathAreCounted() throws IOException {
        String base = root.resolve("log").toString();
        JsonNode found = InspectRun.of(root, () -> 0, base, "--json", "--top", "5").json();
        assertThat(found.get("segments").asInt()).isEqualTo(SEGMENTS);
        assertThat(found.at("/jobs/0/segments").asInt()).isEqualTo(SEGMENTS);
        assertThat(found.get("largest")).hasSize(5);
        assertThat(found.get("damaged")).isEmpty();
    }
}
