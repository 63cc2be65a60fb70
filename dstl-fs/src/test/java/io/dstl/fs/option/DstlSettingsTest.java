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

import io.dstl.store.RetrySettings;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
                .hasMessageContaining("Set it to a directory")
                .hasMessageContaining("JobManager");
    }

    @Test
    void policyNoneMakesNoSecondRequest() {
        Configuration config = minimal();
        config.set(DstlOptions.RETRY_POLICY, "none");
        config.set(DstlOptions.HEDGE_MAX_SHARE, 0.1);

        DstlSettings settings = DstlSettings.from(config);

        assertThat(settings.retry().hedges().share()).isZero();
        assertThat(settings.warnings())
                .anySatisfy(
                        warning ->
                                assertThat(warning)
                                        .contains(DstlOptions.HEDGE_MAX_SHARE.key() + " is 0.1"));
    }

    @Test
    void aShareBelowZeroIsRefused() {
        Configuration config = minimal();
        config.set(DstlOptions.HEDGE_MAX_SHARE, -0.01);

        assertThatThrownBy(() -> DstlSettings.from(config))
                .hasMessageContaining(DstlOptions.HEDGE_MAX_SHARE.key())
                .hasMessageContaining("-0.01")
                .hasMessageContaining("from 0.0 to 1.0");
    }

    @ParameterizedTest
    @CsvSource({
        "state.changelog.dstl.dfs.batch.persist-delay, -1 ms",
        "state.changelog.dstl.dfs.upload.buffer-size, 0 bytes",
        "state.changelog.dstl.dfs.upload.num-threads, 0",
        "state.changelog.dstl.dfs.discard.num-threads, 0",
        "state.changelog.dstl.dfs.upload.max-in-flight, 1 mb",
        "state.changelog.dstl.dfs.upload.retry-policy, sometimes",
        "state.changelog.dstl.dfs.upload.next-attempt-delay, -1 ms",
        "state.changelog.dstl.dfs.download.local-cache.idle-timeout-ms, -1 ms",
        "state.changelog.dstl.dfs.compression.enabled, maybe",
        "state.changelog.dstl.dfs.preemptive-persist-threshold, large",
        "state.changelog.dstl.dfs.batch.persist-delay, soon",
        "state.changelog.dstl.dfs.batch.persist-size-threshold, 10 mib/s",
        "state.changelog.dstl.dfs.upload.buffer-size, 2 gb",
        "state.changelog.dstl.dfs.upload.num-threads, many",
        "state.changelog.dstl.dfs.discard.num-threads, 1.5",
        "state.changelog.dstl.dfs.upload.max-in-flight, 100 apples",
        "state.changelog.dstl.dfs.upload.hard-max-in-flight, 99 mb",
        "state.changelog.dstl.dfs.upload.hard-max-in-flight, 200 apples",
        "state.changelog.dstl.dfs.upload.timeout, 1 fortnight",
        "state.changelog.dstl.dfs.upload.max-attempts, thrice",
        "state.changelog.dstl.dfs.upload.next-attempt-delay, later",
        "state.changelog.dstl.dfs.download.local-cache.idle-timeout-ms, never",
        "state.changelog.dstl.dfs.upload.hedge.max-share, 1.01",
        "state.changelog.dstl.dfs.upload.hedge.max-share, NaN",
        "state.changelog.dstl.dfs.upload.hedge.max-share, 2%",
        "state.changelog.dstl.dfs.upload.hedge.max-in-flight, 0",
        "state.changelog.dstl.dfs.upload.hedge.max-in-flight, few",
        "dstl.dfs.upload.max-attempts, 1.5",
        "dstl.dfs.upload.timeout, at once",
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
                .hasMessageContaining(key + " is " + shown(value))
                .hasMessageContaining("set it to");
    }

    /** Sizes and durations are shown in one form, whatever they were written in. */
    private static String shown(String value) {
        return value.replace("0 bytes", "0").replace("2 gb", "2");
    }

    /** As Flink's own storage does. */
    @Test
    void takesADurationThatIsMeantForNever() {
        Configuration config = minimal();
        Stream.of(
                        DstlOptions.PERSIST_DELAY,
                        DstlOptions.UPLOAD_TIMEOUT,
                        DstlOptions.RETRY_DELAY_AFTER_FAILURE,
                        DstlOptions.CACHE_IDLE_TIMEOUT)
                .forEach(option -> config.setString(option.key(), Long.MAX_VALUE + " ms"));
        DstlSettings settings = DstlSettings.from(config);
        assertThat(
                        Stream.of(
                                settings.batch().delay(),
                                settings.retry().timeout().get(),
                                settings.retry().pauseAfterError(),
                                DownloadSettings.from(config).idleTimeout()))
                .allSatisfy(never -> assertThat(never.toNanos()).isPositive());
    }

    @Test
    void refusesAllAtOnce() {
        Configuration config = minimal();
        config.setString("dstl.dfs.upload.num-threads", "0");
        config.setString("dstl.dfs.upload.timeout", "a while");
        config.removeConfig(DstlOptions.BASE_PATH);

        assertThatThrownBy(() -> DstlSettings.from(config))
                .hasMessageContaining("base-path is not set")
                .hasMessageContaining("dstl.dfs.upload.num-threads is 0")
                .hasMessageContaining("dstl.dfs.upload.timeout is a while");
    }

    @ParameterizedTest
    @CsvSource({
        "':', Set it to a directory",
        "' ', has nowhere to go",
    })
    void refusesABasePathThatLeadsNowhere(String path, String remedy) {
        Configuration config = new Configuration();
        config.setString("dstl.dfs.base-path", path);

        assertThatThrownBy(() -> DstlSettings.from(config).basePath().fileSystem())
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("dstl.dfs.base-path is ")
                .hasMessageContaining(remedy);
    }

    @Test
    void refusesASchemeWithoutFileSystem() {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, "s3://key:MARKED@bucket/log");

        assertThatThrownBy(() -> DstlSettings.from(config).basePath().fileSystem())
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("base-path is s3://***@bucket/log")
                .hasMessageContaining("plugins/")
                .hasMessageContaining("flink-s3-fs-presto")
                .hasMessageNotContaining("MARKED");
    }

    @Test
    void isSilentOnTheDefaults() {
        assertThat(DstlSettings.from(minimal()).warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "upload.retry-policy=none upload.max-attempts=5, upload.max-attempts is 5",
        "upload.retry-policy=none upload.timeout=5s, upload.timeout is 5s",
        "batch.persist-delay=0ms batch.persist-size-threshold=1mb,"
                + " batch.persist-size-threshold is 1mb",
        "batch.persist-size-threshold=0b batch.persist-delay=1s, batch.persist-delay is 1s",
        "preemptive-persist-threshold=2gb upload.max-in-flight=4gb,"
                + " preemptive-persist-threshold is 2gb",
        "preemptive-persist-threshold=60mb upload.max-in-flight=50mb,"
                + " preemptive-persist-threshold is 60 mb",
        "upload.threads=7, upload.threads is 7",
        "upload.timeout=0ms, upload.timeout is 0 ms: an attempt has no timeout",
        "upload.max-attempts=0, upload.max-attempts is 0: an upload is attempted once",
        "upload.max-attempts=-1, upload.max-attempts is -1: an upload is attempted once",
        "preemptive-persist-threshold=0b,"
                + " preemptive-persist-threshold is 0 bytes: it counts as 1 byte",
        "base-path=s3:///log, base-path is s3:/log: it names no bucket",
        "base-path=S3A:///, base-path is S3A:/: it names no bucket",
    })
    void warnsOnceOfWhatHasNoEffect(String set, String warning) {
        Configuration config = new Configuration();
        config.setString("dstl.dfs.base-path", "file:///log");
        for (String pair : set.split(" ")) {
            config.setString("dstl.dfs." + pair.split("=")[0], pair.split("=")[1]);
        }

        assertThat(DstlSettings.from(config).warnings())
                .singleElement()
                .asString()
                .startsWith("dstl.dfs." + warning)
                .matches(".* (Set|Leave) .*");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gs:///log",
                "oss:///log",
                "abfs:///log",
                "wasb:///log",
                "abfss://container@account.dfs.core.windows.net/log",
                "wasbs://container@account.blob.core.windows.net/log",
            })
    void isSilentOnWhatTheFileSystemMayKnow(String path) {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, path);

        assertThat(DstlSettings.from(config).warnings()).isEmpty();
    }

    @Test
    void takesValuesBelowTheirRangeAsFlinksOwnStorageDoes() {
        Configuration config = minimal();
        config.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ofMillis(-1));
        config.set(DstlOptions.RETRY_MAX_ATTEMPTS, 0);
        config.set(DstlOptions.PREEMPTIVE_PERSIST_THRESHOLD, MemorySize.ZERO);

        DstlSettings settings = DstlSettings.from(config);

        assertThat(settings.retry().timeout()).isEmpty();
        assertThat(settings.retry().maxAttempts()).isEqualTo(1);
        assertThat(settings.batch().preemptiveThresholdBytes()).isEqualTo(1);
        assertThat(settings.warnings()).hasSize(3);
    }

    @Test
    void warnsOfALocalLogBesideRemoteCheckpoints() {
        Configuration config = minimal();
        config.setString("state.checkpoints.dir", "s3://bucket/checkpoints");
        assertThat(DstlSettings.from(config).warnings())
                .singleElement()
                .asString()
                .contains("a checkpoint is lost with its log");

        config.setString("state.checkpoints.dir", "file:///checkpoints");
        assertThat(DstlSettings.from(config).warnings()).isEmpty();
    }

    @Test
    void withoutRetriesWhatTheyNeedIsNotLookedAt() {
        Configuration config = minimal();
        config.set(DstlOptions.RETRY_POLICY, "NONE");
        config.set(DstlOptions.RETRY_MAX_ATTEMPTS, 0);
        config.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ZERO);

        assertThat(DstlSettings.from(config).retry().maxAttempts()).isEqualTo(1);
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
        assertThat(DstlSettings.from(config).warnings())
                .singleElement()
                .asString()
                .contains("it holds credentials")
                .doesNotContain("key:", "secret@");
    }

    private static Configuration minimal() {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, "file:///log");
        return config;
    }
}
