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
package io.dstl.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.e2e.chaos.ChaosPlan.ChaosInput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChaosPlanTest {
    @Test
    void aPartOfTheMinutesIsForWhatComesBeforeAndAfter() {
        assertThat(ChaosPlan.of(30, 1).faults()).isEqualTo(Duration.ofMinutes(28));
    }

    @Test
    void theShortestRunHasFaultsAllTheSame() {
        assertThat(ChaosPlan.of(1, 1).faults()).isPositive();
    }

    @Test
    void lessThanAMinuteIsRefused() {
        assertThatThrownBy(() -> ChaosPlan.of(0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--chaos is 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 10, 30, 120})
    void theInputOutlastsTheFaults(int minutes) {
        ChaosPlan chaos = ChaosPlan.of(minutes, 1);
        Duration lasts = Duration.ofSeconds(chaos.flights() / chaos.rate());
        assertThat(lasts.minus(chaos.faults()))
                .isBetween(Duration.ofMinutes(3), Duration.ofMinutes(10));
    }

    @Test
    void aLongInputIsCutAndAShortOneIsReadAgain(@TempDir Path directory) throws IOException {
        Path whole = directory.resolve("whole.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(whole))) {
            out.write("header\n1\n2\n3\n4\n5\n".getBytes(StandardCharsets.UTF_8));
        }
        Path cut = directory.resolve("cut.gz");
        assertThat(ChaosInput.cut(whole, 3, cut).scale).isEqualTo(1);
        assertThat(lines(cut)).containsExactly("header", "1", "2", "3");
        assertThat(ChaosInput.cut(whole, 7, cut).scale).isEqualTo(2);
        assertThat(lines(cut)).containsExactly("header", "1", "2", "3", "4");
        assertThat(ChaosInput.cut(whole, 10, cut).scale).isEqualTo(2);
        assertThat(lines(cut)).hasSize(6);
    }

    private static List<String> lines(Path file) throws IOException {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(Files.newInputStream(file)),
                                StandardCharsets.UTF_8))) {
            return in.lines().collect(Collectors.toList());
        }
    }
}
