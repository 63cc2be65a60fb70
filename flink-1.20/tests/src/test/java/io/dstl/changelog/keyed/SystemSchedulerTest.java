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

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SystemSchedulerTest {
    /** Else no materialization that has paused would ever begin. */
    @Test
    void aPauseEnds() throws Exception {
        SystemScheduler.pause();
    }

    /** Else the end of a task would wait for it. */
    @Test
    void aPauseEndsWithItsInterrupt() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(SystemScheduler::pause).isInstanceOf(InterruptedException.class);
    }
}
