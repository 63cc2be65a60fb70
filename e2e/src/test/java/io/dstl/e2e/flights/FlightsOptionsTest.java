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
package io.dstl.e2e.flights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlightsOptionsTest {
    @Test
    void takesEveryOption() {
        FlightsOptions options =
                FlightsOptions.parse(
                        "--input",
                        "/data/flights.csv.gz",
                        "--output",
                        "s3://bucket/rows",
                        "--scale",
                        "3",
                        "--rate",
                        "2500",
                        "--checkpoint-interval",
                        "250ms");

        assertThat(options.input).isEqualTo(URI.create("file:/data/flights.csv.gz"));
        assertThat(options.output).isEqualTo(URI.create("s3://bucket/rows"));
        assertThat(options.scale).isEqualTo(3);
        assertThat(options.rate).isEqualTo(2500);
        assertThat(options.checkpointInterval).isEqualTo(Duration.ofMillis(250));
    }

    @Test
    void readsTheFileOnceAtFullSpeedByDefault() {
        FlightsOptions options = FlightsOptions.parse("--input", "in.csv.gz", "--output", "out");

        assertThat(options.scale).isEqualTo(1);
        assertThat(options.rate).isZero();
        assertThat(options.checkpointInterval).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.tolerableFailedCheckpoints).isEqualTo(10);
        assertThat(options.input.isAbsolute()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "scale, 0",
        "scale, many",
        "rate, -1",
        "rate, NaN",
        "rate, fast",
        "checkpoint-interval, 0s",
        "checkpoint-interval, often",
        "tolerable-failed-checkpoints, -1",
        "tolerable-failed-checkpoints, all"
    })
    void namesAnOptionThatItCannotUse(String option, String value) {
        assertThatThrownBy(
                        () ->
                                FlightsOptions.parse(
                                        "--input", "in", "--output", "out", "--" + option, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--" + option + " is " + value + "; give ");
    }

    @Test
    void asksForTheInput() {
        assertThatThrownBy(() -> FlightsOptions.parse("--output", "out"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--input is missing; give a path or a URI");
    }
}
