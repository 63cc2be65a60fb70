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
package io.dstl.store.s3;

import io.dstl.store.RefusedException;
import io.dstl.store.ThrottledException;
import io.dstl.store.s3.config.Regions;
import io.dstl.store.s3.xml.S3Error;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** Maps answers other than success to exceptions. */
final class S3Failures {

    /** The operation, as messages have it. */
    static final String READ = "read";

    private static final int MAX_BODY_BYTES = 64 * 1024;

    private static final Set<String> THROTTLING =
            Set.of(
                    "SlowDown",
                    "SlowDownRead",
                    "SlowDownWrite",
                    "TooManyRequests",
                    "RequestLimitExceeded",
                    "Throttling",
                    "ThrottlingException");

    /** The machine's clock is more than 15 minutes off. */
    private static final String TOO_SKEWED = "RequestTimeTooSkewed";

    /** The last is MinIO's. */
    private static final Set<String> OF_CREDENTIALS =
            Set.of(
                    "ExpiredToken",
                    "InvalidToken",
                    "TokenRefreshRequired",
                    "InvalidAccessKeyId",
                    "InvalidTokenId");

    /** How the headers with a checksum begin. */
    private static final String CHECKSUM = "x-amz-checksum";

    private static final String REQUEST_ID = "x-amz-request-id";

    private static final Pattern REGION = Pattern.compile("<Region>([A-Za-z0-9-]{1,64})</Region>");

    /** Codes answered with 4xx, too, for a failure of one request in transfer. */
    private static final Set<String> ON_THE_WAY =
            Set.of(
                    "RequestTimeout",
                    "IncompleteBody",
                    "BadDigest",
                    "XAmzContentSHA256Mismatch",
                    "XAmzContentChecksumMismatch",
                    "OperationAborted",
                    TOO_SKEWED);

    /** MinIO's: it may answer them when drives have already taken the object. */
    private static final Set<String> IN_DOUBT =
            Set.of("SlowDownRead", "SlowDownWrite", "ClientDisconnected");

    /** Codes answered with 400 for a header that the store does not know; the message names it. */
    private static final Set<String> OF_A_HEADER =
            Set.of("InvalidArgument", "InvalidRequest", "NotImplemented");

    private static final String PAGE =
            ", but this is not from S3 itself: check proxy, load balancer and endpoint";

    private S3Failures() {}

    /**
     * The bucket's region, where an answer names it: for that a request should have been signed, if
     * the store's error is that it was signed for another. Reads the answer's body; closes nothing.
     */
    static Optional<String> region(Response answer) {
        String header = answer.header("x-amz-bucket-region");
        if (header != null) {
            return Optional.of(header);
        }
        try (ResponseBody body = answer.peekBody(MAX_BODY_BYTES)) {
            String text = body.string();
            Matcher region = REGION.matcher(text);
            return text.contains("<Code>AuthorizationHeaderMalformed</Code>") && region.find()
                    ? Optional.of(region.group(1))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Whether the store has stored what a PUT sent. Its answer has an id or the object's ETag, as
     * that of {@code PutObject} has; a proxy or a firewall that answers in its place may send
     * status 200 as well. Closes nothing.
     */
    static boolean isStored(Response answer) {
        return answer.isSuccessful() && (isOfStore(answer) || answer.header("ETag") != null);
    }

    /**
     * Whether the store has answered a PUT without storing anything. That is certain only by its
     * own code, of throttling or of a refusal. A bare 503, 502 or 504 may be that of a load
     * balancer or a proxy that has lost the store's answer, and with most other codes the store may
     * have failed after it has stored the object. Reads the answer's body; closes nothing.
     */
    static boolean isNotStored(Response answer) {
        String code = error(answer).map(S3Error::code).orElse("");
        return !answer.isSuccessful()
                && !code.isEmpty()
                && !IN_DOUBT.contains(code)
                && (THROTTLING.contains(code) || isRefusal(answer.code(), code));
    }

    /**
     * Whether the store has carried out a DELETE. Its answer has an id, or else no body; a proxy or
     * a firewall that answers in its place may send a page, with status 200. Reads a byte of the
     * body; closes nothing.
     */
    static boolean isDeleted(Response answer) throws IOException {
        return answer.isSuccessful()
                && (isOfStore(answer) || answer.peekBody(1).bytes().length == 0);
    }

    private static boolean isOfStore(Response answer) {
        return answer.header(REQUEST_ID) != null;
    }

    /**
     * The time of the store, if it refuses a request as the machine's clock is off. Reads the
     * answer's body; closes nothing.
     */
    static Optional<Instant> time(Response answer) {
        return answer.code() == 403
                        && error(answer).filter(e -> e.code().equals(TOO_SKEWED)).isPresent()
                ? Optional.ofNullable(answer.headers().getInstant("Date"))
                : Optional.empty();
    }

    /**
     * Whether the store takes the credentials for ended or for unknown. Reads the answer's body;
     * closes nothing.
     */
    static boolean refusesCredentials(Response answer) {
        return answer.code() >= 400
                && answer.code() <= 403
                && error(answer).filter(e -> OF_CREDENTIALS.contains(e.code())).isPresent();
    }

    /**
     * Whether the store answers a PUT that it does not know the header of its checksum. Reads the
     * answer's body; closes nothing.
     */
    static boolean knowsNoChecksum(Response answer) {
        return answer.code() == 501
                || (answer.code() == 400
                        && error(answer).filter(S3Failures::namesChecksum).isPresent());
    }

    private static boolean namesChecksum(S3Error error) {
        return OF_A_HEADER.contains(error.code())
                && error.message().toLowerCase(Locale.ROOT).contains(CHECKSUM);
    }

    /**
     * Keeps only code, message and request id of the answer: other parts repeat the access key and
     * what was signed. Reads the answer's body; closes nothing.
     *
     * @return a {@link ThrottledException} if the store wants fewer requests, a {@link
     *     FileNotFoundException} if there is no such object, a {@link RefusedException} if a repeat
     *     would be refused again; any other is the store's own failure, and may pass
     */
    static IOException of(String operation, S3Object object, Response answer) {
        return of(operation, object, answer, error(answer));
    }

    /**
     * The same for an error that was already read: also that of an answer with status 200, which
     * the store began before it failed.
     */
    static IOException of(
            String operation, S3Object object, Response answer, Optional<S3Error> error) {
        String code = error.map(S3Error::code).orElse("");
        boolean page =
                code.isEmpty()
                        && (answer.isSuccessful() || (answer.code() == 404 && !isOfStore(answer)));
        String message =
                String.format(
                        Locale.ROOT,
                        "Could not %s %s: S3 answered %d %s%s (request %s)",
                        operation,
                        object,
                        answer.code(),
                        code.isEmpty() ? answer.message() : code,
                        error.map(S3Error::message)
                                        .filter(text -> !text.isEmpty())
                                        .map(text -> ", " + text)
                                        .orElse(page ? PAGE : "")
                                + remedy(operation, code, answer),
                        answer.header(REQUEST_ID, "without an id"));
        if (page) {
            return new IOException(message);
        }
        int status = answer.isSuccessful() ? usualStatus(code) : answer.code();
        if (status == 503 || status == 429 || THROTTLING.contains(code)) {
            return new ThrottledException(message, null, status == 429);
        }
        if (status == 404 && !code.equals("NoSuchBucket")) {
            return new FileNotFoundException(message);
        }
        return isRefusal(status, code)
                ? new RefusedException(message, code.isEmpty() ? "" + answer.code() : code)
                : new IOException(message);
    }

    /**
     * The outcome for one object of a request about several.
     *
     * @return as {@link #of}, as far as the store's code tells
     */
    static IOException ofPart(String operation, S3Object object, S3Error part) {
        String code = part.code();
        String message =
                String.format(
                        Locale.ROOT,
                        "Could not %s %s, one of several: S3 answered %s",
                        operation,
                        object,
                        part);
        if (THROTTLING.contains(code)) {
            return new ThrottledException(message, null);
        }
        if (code.equals("NoSuchKey")) {
            return new FileNotFoundException(message);
        }
        return code.equals("AccessDenied")
                ? new RefusedException(message, code)
                : new IOException(message);
    }

    private static String remedy(String operation, String code, Response answer) {
        if (operation.equals(READ) && code.equals("AccessDenied")) {
            return ". S3 also says so of an object that is missing, where s3:ListBucket is not"
                    + " allowed";
        }
        return answer.code() == 301
                ? region(answer)
                        .filter(Regions::isName)
                        .map(
                                region ->
                                        ". The bucket is in region "
                                                + region
                                                + ": set s3.endpoint to an endpoint of it, or leave"
                                                + " it out")
                        .orElse("")
                : "";
    }

    private static boolean isRefusal(int status, String code) {
        return status < 500 && status != 408 && !ON_THE_WAY.contains(code);
    }

    /** The usual status of an error, for one that came too late for its own status. */
    private static int usualStatus(String code) {
        switch (code) {
            case "InternalError":
                return 500;
            case "ServiceUnavailable":
                return 503;
            default:
                return 400;
        }
    }

    /** The error in an answer other than success. Reads its body; closes nothing. */
    static Optional<S3Error> error(Response answer) {
        try (ResponseBody body = answer.peekBody(MAX_BODY_BYTES)) {
            String text = body.string();
            return text.isEmpty() ? Optional.empty() : S3Error.parse(text);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
