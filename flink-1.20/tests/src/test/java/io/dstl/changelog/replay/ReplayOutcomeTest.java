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
package io.dstl.changelog.replay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplayOutcomeTest {
    private final ReplayOutcome outcome = new ReplayOutcome();

    /** Its thread had no memory to note anything. */
    @Test
    void aReplayThatDoesNotSayHowItEndedHasFailed() {
        assertThat(outcome.failure())
                .hasValueSatisfying(
                        failure -> assertThat(failure).hasMessageContaining("out of memory"));
    }

    @Test
    void onlyANotedSuccessIsOne() {
        outcome.succeeded();
        assertThat(outcome.failure()).isEmpty();

        OutOfMemoryError failure = new OutOfMemoryError();
        outcome.failed(failure);
        assertThat(outcome.failure()).containsSame(failure);
    }
}
