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

import static io.dstl.fs.option.DstlOptions.HEDGE_MAX_IN_FLIGHT;
import static io.dstl.fs.option.DstlOptions.HEDGE_MAX_SHARE;
import static io.dstl.fs.option.DstlOptions.RETRY_DELAY_AFTER_FAILURE;
import static io.dstl.fs.option.DstlOptions.RETRY_MAX_ATTEMPTS;
import static io.dstl.fs.option.DstlOptions.RETRY_POLICY;
import static io.dstl.fs.option.DstlOptions.UPLOAD_TIMEOUT;

import io.dstl.store.RetrySettings;
import io.dstl.store.RetrySettings.HedgeSettings;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Reads the options of attempts and hedges. */
final class RetryOptions {

    private RetryOptions() {}

    static RetrySettings from(OptionCheck check) {
        Duration pause = check.notNegative(RETRY_DELAY_AFTER_FAILURE);
        String policy = check.read(RETRY_POLICY, "fixed or none");
        switch (policy.trim().toLowerCase(Locale.ROOT)) {
            case "none":
                warnOfNoEffect(check);
                return new RetrySettings(1, Optional.empty(), pause);
            case "fixed":
                break;
            default:
                check.refuse(RETRY_POLICY, policy, "set it to fixed or none");
                break;
        }
        return new RetrySettings(maxAttempts(check), timeout(check), pause, hedges(check));
    }

    /** Accepts values below 1, as Flink's own storage does. */
    private static int maxAttempts(OptionCheck check) {
        int attempts = check.number(RETRY_MAX_ATTEMPTS);
        if (attempts < 1) {
            check.warn(
                    RETRY_MAX_ATTEMPTS,
                    attempts,
                    "an upload is attempted once, and a single failed request costs a checkpoint."
                            + " Set it to 1 to say so, or to more");
        }
        return Math.max(attempts, 1);
    }

    /** Accepts values of 0 and below, as Flink's own storage does. */
    private static Optional<Duration> timeout(OptionCheck check) {
        Duration timeout = check.duration(UPLOAD_TIMEOUT);
        if (timeout.isZero() || timeout.isNegative()) {
            check.warn(
                    UPLOAD_TIMEOUT,
                    timeout.toMillis() + " ms",
                    "an attempt has no timeout, so that one that hangs is waited for until the"
                            + " checkpoint expires. Set it to a time such as 1000 ms");
            return Optional.empty();
        }
        return Optional.of(timeout);
    }

    private static void warnOfNoEffect(OptionCheck check) {
        String consequence =
                "it has no effect, as "
                        + check.key(RETRY_POLICY)
                        + " is none. Leave it out, or set the policy to fixed";
        check.warnIfChanged(RETRY_MAX_ATTEMPTS, consequence);
        check.warnIfChanged(UPLOAD_TIMEOUT, consequence);
        check.warnIfChanged(HEDGE_MAX_SHARE, consequence);
        check.warnIfChanged(HEDGE_MAX_IN_FLIGHT, consequence);
    }

    private static HedgeSettings hedges(OptionCheck check) {
        return new HedgeSettings(
                check.shareWithin(0, 1, HEDGE_MAX_SHARE), check.atLeast(1, HEDGE_MAX_IN_FLIGHT));
    }
}
