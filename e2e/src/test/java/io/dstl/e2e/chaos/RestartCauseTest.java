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

import io.dstl.e2e.chaos.RestartCause.Restart;
import io.dstl.e2e.chaos.RestartCause.Spell;
import io.dstl.e2e.chaos.RestartCause.Spell.Type;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestartCauseTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String UPLOAD = "IOException: the segment could not be stored";

    private final Spell process = spell(Type.PROCESS, 10, 20);
    private final Spell storage = spell(Type.STORAGE, 15, 30);

    @Test
    void aProcessFaultExplainsWhatHappensUntilTheJobIsOverIt() {
        assertThat(cause(restart(10, UPLOAD))).isEqualTo(RestartCause.PROCESS);
        assertThat(cause(restart(20, UPLOAD))).isEqualTo(RestartCause.PROCESS);
    }

    @Test
    void aStoreFaultAloneIsHeldAgainstTheChangelog() {
        RestartCause cause = cause(restart(21, UPLOAD));
        assertThat(cause).isEqualTo(RestartCause.STORAGE);
        assertThat(cause.isFailure()).isTrue();
    }

    @Test
    void aRestartWithNothingWrongIsAFailureToo() {
        RestartCause cause = cause(restart(31, UPLOAD));
        assertThat(cause).isEqualTo(RestartCause.NONE);
        assertThat(cause.isFailure()).isTrue();
    }

    @Test
    void aHeartbeatLostUnderAStoreFaultIsTheMachines() {
        RestartCause cause =
                cause(
                        restart(
                                25,
                                "TimeoutException: The heartbeat of TaskManager with id"
                                        + " taskmanager-1 timed out."));
        assertThat(cause).isEqualTo(RestartCause.MACHINE);
        assertThat(cause.isFailure()).isFalse();
    }

    @Test
    void aChangeOfLeaderWithoutAFaultIsTheMachines() {
        assertThat(cause(new Restart(START.plusSeconds(25), true, "jobmanager-2.log")))
                .isEqualTo(RestartCause.MACHINE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Exception: Job leader for job id 1 lost leadership.",
                "FlinkException: ResourceManager leader changed to new address null",
                "Exception: New job leader for job 1 found.",
                "The leading JobMaster id 2 did not match the received JobMaster id 3.",
                "A registered TaskManager 1 re-registered with a new session id."
            })
    void aLeaderThatIsNoneAnyMoreIsTheMachines(String reason) {
        assertThat(cause(restart(31, reason))).isEqualTo(RestartCause.MACHINE);
    }

    private RestartCause cause(Restart restart) {
        return RestartCause.of(restart, List.of(process, storage));
    }

    private static Restart restart(int second, String reason) {
        return new Restart(START.plusSeconds(second), false, reason);
    }

    private static Spell spell(Type type, int from, int to) {
        return new Spell(type, START.plusSeconds(from), START.plusSeconds(to));
    }
}
