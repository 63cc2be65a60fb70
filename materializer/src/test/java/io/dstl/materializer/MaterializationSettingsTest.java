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
package io.dstl.materializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.materializer.MaterializationPolicy.Outcome;
import io.dstl.materializer.MaterializationPolicy.Reason;
import io.dstl.materializer.MaterializationPolicy.Took;
import io.dstl.testkit.ManualTimer;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class MaterializationSettingsTest {

    private final ExecutionConfig job = new ExecutionConfig();
    private final Configuration given = new Configuration();
    private final ManualTimer scheduler = new ManualTimer();
    private final ReplayRate rate = new ReplayRate();

    @Test
    void isEveryTenMinutesAndThreeFailuresByDefault() {
        MaterializationSettings settings = MaterializationSettings.of(job, given);

        assertThat(settings.interval()).contains(Duration.ofMinutes(10));
        assertThat(settings.maxFailuresAllowed()).isEqualTo(3);
    }

    /** By this list a user hears of options without effect. */
    @Test
    void listsEachOfItsOptions() throws IllegalAccessException {
        List<Object> options = new ArrayList<>();
        for (Field field : MaterializationOptions.class.getFields()) {
            if (field.getType() == ConfigOption.class) {
                options.add(field.get(null));
            }
        }

        assertThat(options).isNotEmpty();
        assertThat(MaterializationOptions.ALL)
                .hasSameSizeAs(options)
                .allSatisfy(option -> assertThat(options).contains(option));
    }

    @Test
    void followsTheJob() {
        job.setPeriodicMaterializeIntervalMillis(Duration.ofSeconds(7));
        job.setMaterializationMaxAllowedFailures(0);
        MaterializationSettings settings = MaterializationSettings.of(job, given);
        policy(settings).start(reason -> {});

        assertThat(settings.maxFailuresAllowed()).isZero();
        assertThat(scheduler.delays()).containsExactly(Duration.ofMillis(3500));
    }

    @Test
    void followsBothSpellingsOfEachKey() {
        for (String prefix : new String[] {"state.changelog.", "state.backend.changelog."}) {
            Configuration configuration = new Configuration();
            configuration.setString(prefix + "periodic-materialize.interval", "42 s");
            configuration.setString(prefix + "max-failures-allowed", "5");
            MaterializationSettings settings = configured(configuration);
            assertThat(settings.interval()).contains(Duration.ofSeconds(42));
            assertThat(settings.maxFailuresAllowed()).isEqualTo(5);

            configuration.setString(prefix + "periodic-materialize.enabled", "false");
            assertThat(configured(configuration).interval()).isEmpty();
        }
    }

    @Test
    void isNeverDueWhenDisabledForTheJob() {
        job.enablePeriodicMaterialize(false);
        assertNeverDue();
    }

    @Test
    void isNeverDueWithoutAnInterval() {
        job.setPeriodicMaterializeIntervalMillis(Duration.ZERO);
        assertNeverDue();

        job.setPeriodicMaterializeIntervalMillis(Duration.ofMillis(-1));
        assertNeverDue();
    }

    @Test
    void aStockConfigurationIsMaterializedBySizeToo() {
        LogLimit limit = MaterializationSettings.of(job, given).limit(rate);

        assertThat(limit.bytes(new LogSize(0, 0, 0))).hasValue(4 << 20);
        assertThat(limit.bytes(new LogSize(0, 0, 100 << 20))).hasValue(25 << 20);
    }

    @Test
    void asksForALogThatIsTooLargeAtACompletedCheckpoint() {
        MaterializationPolicy policy = policy(MaterializationSettings.of(job, given));
        List<Reason> due = new ArrayList<>();
        policy.start(due::add);
        policy.checkpointed(new LogSize(4 << 20, 0, 0));

        assertThat(due).containsExactly(Reason.LOG_SIZE);
    }

    @Test
    void zeroTurnsEachLimitOff() {
        rate.add(2 << 20, Duration.ofSeconds(1));
        assertThat(limit("state.changelog.materialize.log-size.factor", "0")).isEmpty();
        assertThat(limit("state.changelog.materialize.recovery-target", "0 s")).hasValue(25 << 20);
        assertThat(limit("state.changelog.materialize.log-size.min", "0 b")).hasValue(25 << 20);
        assertThat(limit("state.changelog.materialize.recovery-target", "5 s")).hasValue(10 << 20);
    }

    @Test
    void withoutAPeriodThereIsNoLimitEither() {
        job.enablePeriodicMaterialize(false);
        given.set(MaterializationOptions.RECOVERY_TARGET, Duration.ofSeconds(1));
        rate.add(2 << 20, Duration.ofSeconds(1));

        LogSize size = new LogSize(1 << 30, 0, 1);
        assertThat(MaterializationSettings.of(job, given).limit(rate).bytes(size)).isEmpty();
    }

    @Test
    void refusesWhatIsNotInItsRange() {
        job.setMaterializationMaxAllowedFailures(-1);
        assertRefused("state.changelog.max-failures-allowed is -1");
        job.setMaterializationMaxAllowedFailures(0);
        given.set(MaterializationOptions.LOG_SIZE_FACTOR, -0.5);
        assertRefused("state.changelog.materialize.log-size.factor is -0.5");
        given.set(MaterializationOptions.LOG_SIZE_FACTOR, Double.NaN);
        assertRefused("state.changelog.materialize.log-size.factor is NaN");
        given.set(MaterializationOptions.LOG_SIZE_FACTOR, 0.0);
        given.set(MaterializationOptions.RECOVERY_TARGET, Duration.ofMillis(-1));
        assertRefused("state.changelog.materialize.recovery-target is -1 ms");
    }

    private void assertRefused(String message) {
        assertThatThrownBy(() -> MaterializationSettings.of(job, given))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("set it to");
    }

    /** With 100 MB materialized. */
    private OptionalLong limit(String key, String value) {
        Configuration configuration = new Configuration();
        configuration.setString(key, value);
        return MaterializationSettings.of(job, configuration)
                .limit(rate)
                .bytes(new LogSize(0, 0, 100 << 20));
    }

    private MaterializationPolicy policy(MaterializationSettings settings) {
        return settings.policy(settings.limit(rate), scheduler, () -> 0.5, () -> 0);
    }

    private void assertNeverDue() {
        MaterializationPolicy policy = policy(MaterializationSettings.of(job, given));
        policy.start(
                reason -> {
                    throw new AssertionError("due");
                });
        policy.checkpointed(new LogSize(1L << 40, 0, 0));
        policy.ended(Outcome.NOTHING_TO_DO, Took.NOTHING);
        assertThat(scheduler.delays()).isEmpty();
        policy.close();
    }

    private static MaterializationSettings configured(Configuration configuration) {
        ExecutionConfig config = new ExecutionConfig();
        config.configure(configuration, MaterializationSettingsTest.class.getClassLoader());
        return MaterializationSettings.of(config, configuration);
    }
}
