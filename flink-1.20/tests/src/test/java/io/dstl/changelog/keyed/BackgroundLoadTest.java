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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which logs are replayed beside their tasks. */
class BackgroundLoadTest {
    private final BackgroundLoad load = new BackgroundLoad(2);

    @Test
    void admitsALogThatIsReplayedInTime() {
        assertThat(load.admit("flights", 100, 100)).isPresent();
        assertThat(load.admit("flights", 101, 100)).isEmpty();
    }

    /** The tasks of a TaskManager share its processors. */
    @Test
    void admitsNoMoreThanTheProcessorsReplayInTime() throws Exception {
        AutoCloseable first = load.admit("flights", 100, 100).orElseThrow();
        assertThat(load.admit("flights", 60, 100)).isPresent();
        assertThat(load.admit("flights", 60, 100)).isEmpty();
        assertThat(load.admit("flights", 40, 100)).isPresent();

        first.close();
        assertThat(load.admit("flights", 60, 100)).isPresent();
    }

    @Test
    void bearsATimeoutThatIsForEver() {
        assertThat(load.admit("flights", Long.MAX_VALUE, Long.MAX_VALUE)).isPresent();
    }
}
