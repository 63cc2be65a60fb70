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
package io.dstl.store;

import io.dstl.secret.Redaction;
import java.io.IOException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.flink.util.ExceptionUtils;

/**
 * The store works but wants fewer requests: S3 answered 503 <i>Slow Down</i>, or 429. Callers retry
 * the same request later, and send less of everything else meanwhile.
 *
 * <p>Stores of dstl throw it. Flink's file systems have no such class: their clients' failures are
 * of classes that only a plugin's class loader knows, so they are recognized ({@link #isIn}) by
 * class names and by messages that name the answer. Seen so: AWS SDK 1 and 2 (presto, hadoop),
 * Hadoop's S3A, Google Cloud Storage, Azure. A failure with another wording counts as any other
 * failure, and is retried as one.
 */
public final class ThrottledException extends IOException {

    private static final long serialVersionUID = 1L;

    private static final Pattern WORDING =
            Pattern.compile(
                    "status code: ?(503|429)\\b"
                            + "|error code: ?(slowdown|throttl\\w*|requestlimitexceeded)"
                            + "|\\breduce your request rate\\b"
                            + "|\\b(429 too many requests|503 slow ?down)\\b"
                            + "|\\b(ratelimitexceeded|serverbusy)\\b",
                    Pattern.CASE_INSENSITIVE);

    private final boolean maybeOfOneName;

    /**
     * @param message the request and the answer; no secrets
     */
    public ThrottledException(String message, Throwable cause) {
        this(message, cause, false);
    }

    /**
     * @param maybeOfOneName whether the store may want fewer requests for this one name, and take
     *     others: Cloudflare R2 and Google Cloud Storage allow one write a second to a name, and
     *     answer 429 to more ("Limits" and "Quotas &amp; limits" of their documentation)
     */
    public ThrottledException(String message, Throwable cause, boolean maybeOfOneName) {
        super(message, cause);
        this.maybeOfOneName = maybeOfOneName;
    }

    /** Whether another request for the same name may be all that the store had against this one. */
    static boolean isMaybeOfOneName(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, ThrottledException.class)
                .filter(throttled -> throttled.maybeOfOneName)
                .isPresent();
    }

    /** Whether the failure, or one of its causes, asks for fewer requests. */
    public static boolean isIn(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, ThrottledException::isWish).isPresent();
    }

    private static boolean isWish(Throwable failure) {
        String kind =
                RefusedException.simple(Redaction.className(failure)).toLowerCase(Locale.ROOT);
        if (kind.contains("throttl") || kind.contains("slowdown")) {
            return true;
        }
        String message = failure.getMessage();
        return message != null && WORDING.matcher(message).find();
    }
}
