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

import io.dstl.e2e.chaos.Schedule.FaultKind;
import io.dstl.e2e.chaos.Schedule.PlannedFault;
import io.dstl.e2e.chaos.Schedule.Round;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {
    private static final int ROUNDS = 60;

    @Test
    void theSameSeedDrawsTheSameRounds() {
        assertThat(texts(rounds(7))).isEqualTo(texts(rounds(7)));
    }

    @Test
    void anotherSeedDrawsOthers() {
        assertThat(texts(rounds(7))).isNotEqualTo(texts(rounds(8)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 42})
    void everyKindComesAgainAndAgain(long seed) {
        for (FaultKind kind : FaultKind.values()) {
            assertThat(
                            rounds(seed).stream()
                                    .flatMap(round -> round.faults.stream())
                                    .filter(fault -> fault.kind == kind)
                                    .count())
                    .as("%s, seed %d", kind, seed)
                    .isGreaterThanOrEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 42})
    void everyThirdRoundAndNoOtherHasOnlyFaultsOfTheStore(long seed) {
        for (Round round : rounds(seed)) {
            assertThat(round.storageAlone())
                    .as("seed %d, %s", seed, round)
                    .isEqualTo(round.number % 3 == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 42})
    void aRoundHasOneToThreeFaultsOfDifferentKindsWithinTheirBounds(long seed) {
        for (Round round : rounds(seed)) {
            Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
            for (PlannedFault fault : round.faults) {
                assertThat(kinds.add(fault.kind)).as("seed %d, %s", seed, round).isTrue();
                assertThat(fault.length)
                        .as("seed %d, %s", seed, fault)
                        .isBetween(
                                Duration.ofSeconds(fault.kind.shortestSeconds),
                                Duration.ofSeconds(fault.kind.longestSeconds));
                assertThat(fault.choice).isBetween(0, 99);
            }
            assertThat(kinds).as("seed %d, %s", seed, round).hasSizeBetween(1, 3);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 42})
    void aRescaleIsToAnotherParallelism(long seed) {
        int parallelism = 2;
        for (Round round : rounds(seed)) {
            if (round.isRescale()) {
                assertThat(round.parallelism)
                        .as("seed %d, %s", seed, round)
                        .isBetween(2, 4)
                        .isNotEqualTo(parallelism);
                parallelism = round.parallelism;
            }
        }
    }

    @Test
    void aSingleParallelismIsRefused() {
        assertThatThrownBy(() -> new Schedule(1, 2, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2");
    }

    private static List<Round> rounds(long seed) {
        Schedule schedule = new Schedule(seed, 2, 4);
        return Stream.generate(schedule::next).limit(ROUNDS).collect(Collectors.toList());
    }

    private static List<String> texts(List<Round> rounds) {
        return rounds.stream().map(Round::toString).collect(Collectors.toList());
    }
}
