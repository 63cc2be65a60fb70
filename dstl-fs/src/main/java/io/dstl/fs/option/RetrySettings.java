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
package io.dstl.fs.option;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.configuration.ReadableConfig;

/** How often a put is attempted, and when the next attempt begins. */
public final class RetrySettings {

    private final int maxAttempts;
    private final Optional<Duration> timeout;
    private final Duration pauseAfterError;

    /**
     * @param maxAttempts the first included
     * @param timeout from the start of an attempt to the next one beside it; empty: never
     * @param pauseAfterError from an error other than a timeout to the next attempt
     */
    public RetrySettings(int maxAttempts, Optional<Duration> timeout, Duration pauseAfterError) {
        this.maxAttempts = maxAttempts;
        this.timeout = timeout;
        this.pauseAfterError = pauseAfterError;
    }

    static RetrySettings from(ReadableConfig config) {
        OptionCheck check = new OptionCheck(config);
        int attempts = check.atLeast(1, DstlOptions.RETRY_MAX_ATTEMPTS);
        Duration timeout = check.positive(DstlOptions.UPLOAD_TIMEOUT);
        Duration pause = check.notNegative(DstlOptions.RETRY_DELAY_AFTER_FAILURE);
        String policy = config.get(DstlOptions.RETRY_POLICY);
        switch (policy.toLowerCase(Locale.ROOT)) {
            case "fixed":
                return new RetrySettings(attempts, Optional.of(timeout), pause);
            case "none":
                return new RetrySettings(1, Optional.empty(), pause);
            default:
                throw OptionCheck.refuse(
                        DstlOptions.RETRY_POLICY, policy, "set it to fixed or none");
        }
    }

    /** At least 1. */
    public int maxAttempts() {
        return maxAttempts;
    }

    public Optional<Duration> timeout() {
        return timeout;
    }

    public Duration pauseAfterError() {
        return pauseAfterError;
    }
}
