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
package io.dstl.fs.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DstlSettingsTest {

    @Test
    void readsDeprecatedKeys() {
        Configuration config = new Configuration();
        config.setString("dstl.dfs.base-path", "file:///log");
        config.setString("dstl.dfs.batch.persist-delay", "25ms");

        DstlSettings settings = DstlSettings.from(config);

        assertThat(settings.basePath().toString()).isEqualTo("file:/log");
        assertThat(settings.batch().delay()).isEqualTo(Duration.ofMillis(25));
    }

    @Test
    void withoutBasePathNamesTheKeyAndTheRemedy() {
        assertThatThrownBy(() -> DstlSettings.from(new Configuration()))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(DstlOptions.BASE_PATH.key())
                .hasMessageContaining("Set it to a directory");
    }

    @ParameterizedTest
    @CsvSource({
        "state.changelog.dstl.dfs.preemptive-persist-threshold, 0 bytes",
        "state.changelog.dstl.dfs.batch.persist-delay, -1 ms",
        "state.changelog.dstl.dfs.upload.buffer-size, 0 bytes",
        "state.changelog.dstl.dfs.upload.num-threads, 0",
        "state.changelog.dstl.dfs.discard.num-threads, 0",
        "state.changelog.dstl.dfs.upload.max-in-flight, 1 mb",
        "state.changelog.dstl.dfs.upload.retry-policy, sometimes",
        "state.changelog.dstl.dfs.upload.timeout, 0 ms",
        "state.changelog.dstl.dfs.upload.max-attempts, 0",
        "state.changelog.dstl.dfs.upload.next-attempt-delay, -1 ms",
        "state.changelog.dstl.dfs.download.local-cache.idle-timeout-ms, -1 ms",
    })
    void refusesWhatCannotWork(String key, String value) {
        Configuration config = minimal();
        if (value.startsWith("-")) {
            setDuration(config, key);
        } else {
            config.setString(key, value);
        }

        assertThatThrownBy(() -> DstlSettings.from(config))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("set it to");
    }

    /** Flink's parser takes no sign, but a program may set any duration. */
    private static void setDuration(Configuration config, String key) {
        ConfigOption<Duration> option =
                org.apache.flink.configuration.ConfigOptions.key(key)
                        .durationType()
                        .noDefaultValue();
        config.set(option, Duration.ofMillis(-1));
    }

    @Test
    void withoutRetriesThereIsOneAttemptAndNoTimeout() {
        Configuration config = minimal();
        config.set(DstlOptions.RETRY_POLICY, "none");

        RetrySettings retry = DstlSettings.from(config).retry();

        assertThat(retry.maxAttempts()).isEqualTo(1);
        assertThat(retry.timeout()).isEmpty();
    }

    @Test
    void aThresholdBeyondTheArenaIsCutToWhatFits() {
        Configuration config = minimal();
        config.setString(DstlOptions.PREEMPTIVE_PERSIST_THRESHOLD.key(), "10gb");

        assertThat(DstlSettings.from(config).batch().preemptiveThresholdBytes()).isEqualTo(1 << 30);
    }

    @Test
    void showsNoCredentials() {
        Configuration config = minimal();
        config.set(DstlOptions.BASE_PATH, "s3://key:secret@bucket/log");

        assertThat(DstlSettings.from(config).toString())
                .contains("***@bucket/log")
                .doesNotContain("secret");
    }

    private static Configuration minimal() {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, "file:///log");
        return config;
    }
}
