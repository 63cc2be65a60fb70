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
package io.dstl.harness.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.harness.proxy.Disturbance.Answer;
import io.dstl.harness.proxy.Disturbance.Errors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DisturbanceTest {
    private static final long SEED = 4;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualNanos nanos = new ManualNanos();
    private final Disturbance disturbance = new Disturbance(SEED, nanos);

    @Test
    void nothingIsWrongAtFirst() {
        assertThat(disturbance.held()).isZero();
        assertThat(disturbance.answer()).isSameAs(Answer.STORE);
    }

    @Test
    void aStallHoldsUntilItsEndAndNoLonger() {
        disturbance.stall(Duration.ofSeconds(15));
        nanos.advance(Duration.ofSeconds(14));
        assertThat(disturbance.held()).isEqualTo(SECOND);
        nanos.advance(SECOND);
        assertThat(disturbance.held()).isZero();
    }

    @Test
    void errorsHitTheirShareUntilTheirEnd() {
        disturbance.fail(new Errors(503, 0.3), SECOND);
        assertThat(errors(10_000)).as("seed %d", SEED).isBetween(2_800, 3_200);
        nanos.advance(SECOND);
        assertThat(errors(10_000)).isZero();
    }

    @Test
    void theSameSeedHitsTheSameRequests() {
        Disturbance twin = new Disturbance(SEED, nanos);
        disturbance.fail(new Errors(503, 0.3), SECOND);
        twin.fail(new Errors(503, 0.3), SECOND);
        List<Boolean> ours = new ArrayList<>();
        List<Boolean> theirs = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            ours.add(disturbance.answer().error.isPresent());
            theirs.add(twin.answer().error.isPresent());
        }
        assertThat(ours).isEqualTo(theirs);
    }

    @Test
    void slownessLastsUntilItsEnd() {
        assertThat(disturbance.slowness()).isZero();
        disturbance.slow(Duration.ofMillis(300), SECOND);
        assertThat(disturbance.slowness()).isEqualTo(Duration.ofMillis(300));
        nanos.advance(SECOND);
        assertThat(disturbance.slowness()).isZero();
    }

    @Test
    void connectionsAreCutUntilTheEndBeforeOrAfterTheStore() {
        disturbance.reset(1, SECOND);
        assertThat(disturbance.answer()).isSameAs(Answer.RESET);
        nanos.advance(SECOND);
        disturbance.loseAnswers(1, SECOND);
        assertThat(disturbance.answer()).isSameAs(Answer.LOST);
        nanos.advance(SECOND);
        assertThat(disturbance.answer()).isSameAs(Answer.STORE);
    }

    @Test
    void aShareAboveAllIsRefused() {
        assertThatThrownBy(() -> disturbance.reset(1.1, SECOND))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1.1");
    }

    @Test
    void aStatusThatIsNoErrorIsRefused() {
        assertThatThrownBy(() -> new Errors(200, 0.3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("200");
    }

    private int errors(int requests) {
        int errors = 0;
        for (int i = 0; i < requests; i++) {
            errors += disturbance.answer().error.isPresent() ? 1 : 0;
        }
        return errors;
    }
}
