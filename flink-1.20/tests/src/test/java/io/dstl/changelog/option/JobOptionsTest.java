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
package io.dstl.changelog.option;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.option.OptionReport;
import io.dstl.materializer.MaterializationOptions;
import java.lang.reflect.Field;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What works, but not as it seems to: each by key, value and remedy. */
class JobOptionsTest {
    private final Configuration cluster = new Configuration();
    private final Configuration job = new Configuration();

    JobOptionsTest() {
        cluster.setString("state.backend.changelog.storage", "filesystem");
        cluster.setString("dstl.dfs.base-path", "s3://bucket/log");
        job.setString("execution.checkpointing.interval", "1 s");
    }

    /** One that is not listed is reported as unknown. */
    @ParameterizedTest
    @ValueSource(classes = {MaterializationOptions.class, ReplayOptions.class})
    void listEachOptionOfTheirs(Class<?> options) throws Exception {
        for (Field field : options.getFields()) {
            if (ConfigOption.class.isAssignableFrom(field.getType())) {
                assertThat(JobOptions.ALL).contains((ConfigOption<?>) field.get(null));
            }
        }
        assertThat(options.getFields().length).isGreaterThan(1);
    }

    @Test
    void areSilentOnTheDefaults() {
        assertThat(warnings()).isEmpty();
    }

    @Test
    void areSilentOnAJobSubmittedWithTheClustersConfiguration() {
        cluster.setString("state.changelog.periodic-materialize.interval", "3 min");
        job.addAll(cluster);

        assertThat(warnings()).isEmpty();
    }

    @Test
    void nameABasePathThatMemoryStorageDoesNotUse() {
        cluster.setString("state.backend.changelog.storage", "Memory");

        assertOneWarning()
                .startsWith("state.changelog.storage is Memory: ")
                .contains("state.changelog.dstl.dfs.base-path has no effect");
    }

    @Test
    void nameAnUnreadableValueThatMemoryStorageDoesNotRead() {
        cluster.setString("state.backend.changelog.storage", "memory");
        cluster.setString("dstl.dfs.upload.timeout", "a while");

        assertThat(warnings())
                .hasSize(2)
                .anySatisfy(
                        warning ->
                                assertThat(warning)
                                        .startsWith("dstl.dfs.upload.timeout is a while: ")
                                        .contains("no effect, as state.changelog.storage is memory")
                                        .contains("Leave it out"));
    }

    @Test
    void nameALimitOfTheLogWhereNothingIsMaterialized() {
        job.setString("state.changelog.materialize.log-size.factor", "0.5");
        assertThat(warnings()).isEmpty();
        job.setString("state.changelog.periodic-materialize.enabled", "false");

        assertOneWarning()
                .startsWith("state.changelog.materialize.log-size.factor is 0.5: ")
                .contains("nothing is ever materialized")
                .contains("state.changelog.periodic-materialize.enabled to true");
    }

    @ParameterizedTest
    @CsvSource({
        "state.changelog.storage, memory",
        "state.changelog.replay.warm-up.enabled, false",
        "dstl.dfs.base-path, s3://bucket/other",
        "dstl.dfs.upload.max-attempts, 7",
        "state.changelog.dstl.dfs.upload.max-attempts, seven",
        "dstl.dfs.download.local-cache.idle-timeout-ms, 1 min",
    })
    void nameWhatAJobCannotSet(String key, String value) {
        job.setString(key, value);

        assertOneWarning()
                .contains(" is " + value + ": it has no effect for a job")
                .contains("restart the TaskManagers");
    }

    @ParameterizedTest
    @CsvSource({
        "state.changelog.periodic-materialize.interval, 3 min, 600000 ms",
        "state.backend.changelog.max-failures-allowed, 0, 3",
        "state.changelog.periodic-materialize.enabled, false, true",
        "state.changelog.materialize.log-size.factor, 0.5, 0.25",
        "state.changelog.materialize.log-size.min, 1 mb, 4 mb",
        "state.changelog.materialize.recovery-target, 10 s, 0 ms",
    })
    void nameWhatAClusterCannotSet(String key, String value, String actual) {
        cluster.setString(key, value);

        assertOneWarning()
                .contains(" is " + value + ": it is set for the cluster only")
                .containsIgnoringCase(" runs with " + actual)
                .contains("Set it there");
    }

    @ParameterizedTest
    @CsvSource({
        "999 ms, 999 ms: it is less than execution.checkpointing.interval (1000 ms)",
        "0 ms, 0 ms: nothing is ever materialized",
    })
    void nameAnIntervalThatIsTooShort(String interval, String warning) {
        job.setString("state.changelog.periodic-materialize.interval", interval);

        assertOneWarning()
                .startsWith("state.changelog.periodic-materialize.interval is " + warning);
    }

    @Test
    void lookAtNoIntervalWhereThereIsNoMaterialization() {
        job.setString("state.changelog.periodic-materialize.interval", "1 ms");
        job.setString("state.changelog.periodic-materialize.enabled", "false");

        assertThat(warnings()).isEmpty();
    }

    @Test
    void nameAChangelogWithoutCheckpoints() {
        job.setString("execution.checkpointing.interval", "0 s");
        assertOneWarning().contains("takes no checkpoints");

        job.removeKey("execution.checkpointing.interval");
        assertOneWarning().contains("takes no checkpoints");
    }

    @ParameterizedTest
    @CsvSource({
        "state.changelog.enable, state.changelog.enabled",
        "state.backend.changelog.storge, state.backend.changelog.storage",
        "state.changelog.periodic-materialize.intervall,"
                + " state.changelog.periodic-materialize.interval",
    })
    void nameTheKeyThatWasMeant(String typo, String meant) {
        cluster.setString(typo, "1");

        assertOneWarning()
                .startsWith(typo + " is 1: there is no such key")
                .contains("Did you mean " + meant + "?");
    }

    @Test
    void nameOnceWhatTheJobHasFromTheCluster() {
        cluster.setString("state.changelog.storrage", "1");
        job.addAll(cluster);

        assertThat(warnings()).hasSize(1);
    }

    @Test
    void nameNoneThatTheProgramSetsAnew() {
        cluster.setString("state.backend.changelog.periodic-materialize.interval", "3 min");
        job.addAll(cluster);
        job.setString("state.changelog.periodic-materialize.interval", "4 min");

        assertThat(warnings()).isEmpty();
    }

    /** The newer one comes from the configuration that the client has as well. */
    @ParameterizedTest
    @CsvSource({
        "changelog.periodic-materialize.interval, 3 min, 4 min",
        "changelog.dstl.dfs.upload.max-attempts, 3, 4",
    })
    void nameAnOlderSpellingBesideTheClustersNewerOne(String key, String value, String meant) {
        String older = key.contains("dfs") ? key.replace("changelog.", "") : "state.backend." + key;
        cluster.setString("state." + key, value);
        job.addAll(cluster);
        job.setString(older, meant);

        assertOneWarning()
                .startsWith(older + " is " + meant + ": it has no effect, as it is an older name")
                .contains("of state." + key + ", which is " + value);
        cluster.setString(older, meant);
        assertThat(warnings()).hasSize(key.contains("dfs") ? 0 : 1);
    }

    @Test
    void leaveTheStoragesOwnKeysToTheStorage() {
        cluster.setString("dstl.dfs.typo", "1");
        cluster.setString("state.changelog.dstl.dfs.typo", "1");

        assertThat(warnings()).isEmpty();
    }

    private AbstractStringAssert<?> assertOneWarning() {
        return assertThat(warnings()).singleElement().asString();
    }

    private List<String> warnings() {
        ExecutionConfig execution = new ExecutionConfig();
        execution.configure(job, getClass().getClassLoader());
        OptionReport report = new OptionReport();
        new JobOptions(job, cluster, execution).check(report);
        return report.warnings();
    }
}
