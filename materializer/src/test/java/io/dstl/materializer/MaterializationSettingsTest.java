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

import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class MaterializationSettingsTest {

    private final ExecutionConfig job = new ExecutionConfig();
    private final ManualTimer scheduler = new ManualTimer();

    @Test
    void isEveryTenMinutesAndThreeFailuresByDefault() {
        MaterializationSettings settings = MaterializationSettings.of(job);

        assertThat(settings.interval()).contains(Duration.ofMinutes(10));
        assertThat(settings.maxFailuresAllowed()).isEqualTo(3);
    }

    @Test
    void followsTheJob() {
        job.setPeriodicMaterializeIntervalMillis(Duration.ofSeconds(7));
        job.setMaterializationMaxAllowedFailures(0);
        MaterializationSettings settings = MaterializationSettings.of(job);
        settings.policy(scheduler, () -> 0.5).start(() -> {});

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
    void refusesANegativeNumberOfFailures() {
        assertThatThrownBy(() -> new MaterializationSettings(Optional.empty(), -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("state.changelog.max-failures-allowed")
                .hasMessageContaining("-1");
    }

    private void assertNeverDue() {
        MaterializationPolicy policy = MaterializationSettings.of(job).policy(scheduler, () -> 0.5);
        policy.start(
                () -> {
                    throw new AssertionError("due");
                });
        policy.ended();
        assertThat(scheduler.delays()).isEmpty();
        policy.close();
    }

    private static MaterializationSettings configured(Configuration configuration) {
        ExecutionConfig config = new ExecutionConfig();
        config.configure(configuration, MaterializationSettingsTest.class.getClassLoader());
        return MaterializationSettings.of(config);
    }
}
