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
package io.dstl.changelog.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits for what other threads do. Awaitility alone looks for the first time after 100 ms. */
public final class Awaiting {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);
    private static final Duration TO_GO_WRONG = Duration.ofMillis(50);

    private Awaiting() {}

    /** Looks at once, and then often. */
    public static ConditionFactory await() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(BETWEEN_LOOKS);
    }

    /**
     * For what may also be so at first, and not stay so: looks a little later, so that a thread
     * that deletes too much has deleted it.
     */
    public static ConditionFactory awaitSettled() {
        return Awaitility.await().pollDelay(TO_GO_WRONG).pollInterval(BETWEEN_LOOKS);
    }
}
