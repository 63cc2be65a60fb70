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
package io.dstl.fs.store;

import io.dstl.fs.option.RetrySettings;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** How often a put is attempted, and when the next attempt begins. Any thread. */
public final class RetryPolicy {

    private final RetrySettings settings;
    private final Backoff backoff;
    private final AttemptTimeout timeout;

    /**
     * @param random from 0 (inclusive) to 1 (exclusive)
     */
    public RetryPolicy(RetrySettings settings, DoubleSupplier random) {
        this.settings = settings;
        this.backoff = new Backoff(settings.pauseAfterError(), random);
        this.timeout = new AttemptTimeout(settings.timeout());
    }

    boolean isLast(int attempt) {
        return attempt >= settings.maxAttempts();
    }

    /** From the start of an attempt to the next one beside it. */
    AttemptTimeout timeout() {
        return timeout;
    }

    /**
     * @param attempt that has failed, counted from 1
     */
    Duration pauseAfter(int attempt) {
        return backoff.after(attempt);
    }
}
