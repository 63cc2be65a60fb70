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

import io.dstl.store.WallClock;
import io.dstl.store.s3.S3Object.S3Addresses;
import io.dstl.store.s3.auth.Refusals;
import io.dstl.store.s3.config.Regions;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to S3: each is one call, which can be cancelled. The operations of MinIO's client ask
 * for a bucket's region first, hash each body twice (MD5 and SHA-256), and return no object to
 * cancel a request; only its credentials are used.
 *
 * <p>The region is the configured one. When a store answers that a bucket is in another region,
 * that region is used for the bucket from then on: the first requests to it are sent twice.
 *
 * <p>A put carries the CRC-32C of its body for the store to check, or its MD5 in {@code
 * Content-MD5} once the store has answered that it does not know the CRC-32C header. Without TLS
 * the signature covers the body as well, as an attacker who changes the body on the way can adapt a
 * checksum.
 *
 * <p><b>Threading.</b> Any thread. Creating a call blocks if credentials have to be fetched: for
 * the first, and when the last ones have ended.
 */
final class S3Client {

    private static final Logger LOG = LoggerFactory.getLogger(S3Client.class);

    private static final String CHECKSUM_HEADER = "x-amz-checksum-crc32c";

    /**
     * Longest wait for a byte of an object that is read. A cancelled restore waits this long at
     * worst, so it is well below {@code task.cancellation.timeout}; a longer wait is of use to
     * uploads only, whose answer comes after all has been stored.
     */
    private static final Duration MAX_READ_TIMEOUT = Duration.ofSeconds(30);

    /**
     * Longest wait of a request for the transport or for the answer. A put that has lost its race
     * runs to its end, and few threads delete: a request that hangs for ever would keep its
     * connection and its segment's bytes, or end all deletions.
     */
    private static final Duration MAX_SILENCE = Duration.ofMinutes(10);

    /** S3 allows 15 minutes. A store that refuses by less than this has another reason. */
    private static final Duration LEAST_CORRECTION = Duration.ofMinutes(1);

    private final Map<String, String> learnedRegions = new ConcurrentHashMap<>();
    private final S3Addresses addresses;
    private final String region;
    private final Provider provider;
    private final Refusals refusals;
    private final OkHttpClient http;
    private final StoreClock clock;

    /** Shares connections and threads with the client of the writes. */
    private final OkHttpClient reads;

    /** Whether the store does not know {@link #CHECKSUM_HEADER}. */
    private volatile boolean md5Only;

    S3Client(
            S3Settings settings,
            Provider credentials,
            Refusals refusals,
            OkHttpClient http,
            StoreClock clock) {
        this.addresses = new S3Addresses(settings);
        this.region = settings.region();
        this.provider = credentials;
        this.refusals = refusals;
        this.http = http;
        this.clock = clock;
        this.reads = http.newBuilder().readTimeout(readTimeout(settings.socketTimeout())).build();
    }

    /**
     * @param configured zero: none
     */
    static Duration readTimeout(Duration configured) {
        return atMost(MAX_READ_TIMEOUT, configured);
    }

    /**
     * The timeout of all requests; reads have a shorter one.
     *
     * @param configured zero: none
     */
    static Duration silence(Duration configured) {
        return atMost(MAX_SILENCE, configured);
    }

    private static Duration atMost(Duration longest, Duration configured) {
        return configured.isZero() || configured.compareTo(longest) > 0 ? longest : configured;
    }

    /**
     * Notified that a request begins. One that is enqueued has its turn then among those that
     * connections are for; one that blocks its thread waits for no turn.
     */
    interface Begin {
        void begun();
    }

    /** An HTTP client calls this when a request's turn comes. */
    static Response tellBegin(Interceptor.Chain chain) throws IOException {
        Begin begin = chain.request().tag(Begin.class);
        if (begin != null && !chain.call().isCanceled()) {
            begin.begun();
        }
        return chain.proceed(chain.request());
    }

    /** Puts to one host at the same time. The dispatcher limits only calls that are enqueued. */
    int maxPuts() {
        return http.dispatcher().getMaxRequestsPerHost();
    }

    /** The clock of the requests. */
    WallClock clock() {
        return clock;
    }

    /**
     * @param begin called on the thread of the request; not if it is cancelled before
     */
    Call put(S3Object object, ObjectBody body, Begin begin) throws IOException {
        Request.Builder request =
                new Request.Builder()
                        .header("Content-Type", "application/octet-stream")
                        .tag(Begin.class, begin);
        if (md5Only) {
            request.header("Content-MD5", body.md5());
        } else {
            request.header(CHECKSUM_HEADER, body.crc32c());
        }
        request.put(body);
        return call(http, object, request, payloadHash(body));
    }

    /**
     * With TLS nobody changes the body on the way, and the store compares the signed checksum:
     * hashing a segment would cost more than sending it.
     */
    private String payloadHash(ObjectBody body) throws IOException {
        return addresses.areSecure() ? S3Signature.UNSIGNED_PAYLOAD : body.sha256();
    }

    /**
     * @param from the first byte, counted from 0
     * @param end exclusive, more than {@code from}; {@link Long#MAX_VALUE}: the rest of the object
     */
    Call get(S3Object object, long from, long end) throws IOException {
        Request.Builder request = new Request.Builder();
        if (end < Long.MAX_VALUE) {
            request.header("Range", "bytes=" + from + "-" + (end - 1));
        } else if (from > 0) {
            request.header("Range", "bytes=" + from + "-");
        }
        return call(reads, object, request, S3Signature.NO_PAYLOAD);
    }

    Call delete(S3Object object) throws IOException {
        return call(
                http, object, new Request.Builder().method("DELETE", null), S3Signature.NO_PAYLOAD);
    }

    /**
     * Deletes several objects of a bucket. The signature covers the body, as it names them.
     *
     * @param list of the objects, in the form of S3's operation {@code DeleteObjects}
     */
    Call deleteAll(String bucket, ByteString list) throws IOException {
        SignedFor signedFor = signedFor(bucket);
        Request.Builder request =
                new Request.Builder()
                        .url(
                                addresses
                                        .of(bucket, null, signedFor.region)
                                        .newBuilder()
                                        .addEncodedQueryParameter("delete", "")
                                        .build())
                        .header("Content-Type", "application/xml")
                        .header("Content-MD5", list.md5().base64())
                        .post(RequestBody.create(list, null));
        return http.newCall(sign(request, signedFor, list.sha256().hex()));
    }

    private Call call(
            OkHttpClient client, S3Object object, Request.Builder request, String payloadHash)
            throws IOException {
        SignedFor signedFor = signedFor(object.bucket());
        request.url(addresses.of(object.bucket(), object.key(), signedFor.region));
        return client.newCall(sign(request, signedFor, payloadHash));
    }

    private SignedFor signedFor(String bucket) {
        return new SignedFor(learnedRegions.getOrDefault(bucket, region), clock.offset());
    }

    private Request sign(Request.Builder request, SignedFor signedFor, String payloadHash)
            throws IOException {
        Credentials used = credentials();
        try {
            return S3Signature.sign(
                    request.tag(SignedFor.class, signedFor)
                            .tag(Credentials.class, used)
                            .header("Accept-Encoding", "identity")
                            .build(),
                    signedFor.region,
                    used,
                    payloadHash,
                    clock.now());
        } catch (GeneralSecurityException e) {
            throw new IOException("Could not sign a request to S3", e);
        }
    }

    private Credentials credentials() throws IOException {
        try {
            return provider.fetch();
        } catch (ProviderException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Whether the answer tells something new about the store since the request was made, so that a
     * new call may succeed.
     */
    boolean learns(S3Object object, Response answer) {
        return learnsToSign(object, answer) || learnsChecksum(answer);
    }

    /**
     * Call this when a put has been stored. A store that has compared the checksum repeats it in
     * its answer; one that does not know it may ignore it. With TLS the content is not signed
     * either, so the next puts have an MD5 then.
     */
    void stored(Response answer) {
        if (addresses.areSecure()
                && answer.request().header(CHECKSUM_HEADER) != null
                && answer.header(CHECKSUM_HEADER) == null) {
            checkByMd5();
        }
    }

    /** Whether the answer says that a new call has to be signed otherwise, and may succeed then. */
    boolean learnsToSign(S3Object object, Response answer) {
        return learnsRegion(object, answer)
                || learnsTime(answer)
                || learnsThatCredentialsHaveEnded(answer);
    }

    /**
     * A service may end credentials before the end that it told, as when a role's session is
     * revoked, and a clock that is minutes slow takes ended ones for good.
     */
    private boolean learnsThatCredentialsHaveEnded(Response answer) {
        Credentials used = answer.request().tag(Credentials.class);
        return used != null && S3Failures.refusesCredentials(answer) && refusals.refused(used);
    }

    /**
     * As {@link S3Failures#of}, but an answer that refuses credentials for which others come in a
     * while is no refusal: it has none as its cause either.
     */
    IOException failure(String operation, S3Object object, Response answer) {
        IOException failure = S3Failures.of(operation, object, answer);
        return awaitsCredentials(answer) ? new IOException(failure.getMessage()) : failure;
    }

    /** Whether the answer refuses credentials for which others come in a while. */
    boolean awaitsCredentials(Response answer) {
        return S3Failures.refusesCredentials(answer) && refusals.areRenewed();
    }

    /**
     * The store refuses requests by a clock that is more than 15 minutes off. Flink's file systems
     * correct their time by the answer as well, so nothing else would tell of the clock.
     */
    private boolean learnsTime(Response answer) {
        SignedFor signedFor = answer.request().tag(SignedFor.class);
        Optional<Instant> time = S3Failures.time(answer);
        if (signedFor == null || time.isEmpty()) {
            return false;
        }
        Duration actual = clock.behind(time.get());
        boolean differs = actual.minus(signedFor.offset).abs().compareTo(LEAST_CORRECTION) > 0;
        if (differs && clock.offset().equals(signedFor.offset)) {
            clock.correct(actual);
            LOG.warn(
                    "The clock of this machine is {} s off that of {}, more than S3 allows:"
                            + " requests are signed by the store's time from now on. Set the clock.",
                    actual.getSeconds(),
                    answer.request().url().host());
        }
        return differs;
    }

    /**
     * Whether the answer says that the bucket is in another region than the request was signed for,
     * so that a new call may succeed: true for each request that was under way at the time. Not
     * where the endpoint is that of one region, and sends callers to another endpoint.
     */
    private boolean learnsRegion(S3Object object, Response answer) {
        boolean sentElsewhere = answer.code() == 301 && !addresses.followRegions();
        if (answer.isSuccessful() || answer.code() == 404 || sentElsewhere) {
            return false;
        }
        String actual = S3Failures.region(answer).orElse(null);
        SignedFor signedFor = answer.request().tag(SignedFor.class);
        if (actual == null || signedFor == null || !Regions.isName(actual)) {
            return false;
        }
        if (!actual.equals(learnedRegions.put(object.bucket(), actual)) && !actual.equals(region)) {
            LOG.info(
                    "Bucket {} is in region {}, not in {}: requests are signed for it from now on."
                            + " Set s3.endpoint.region to it to spare the first ones an answer",
                    object.bucket(),
                    actual,
                    region);
        }
        return !actual.equals(signedFor.region);
    }

    private boolean learnsChecksum(Response answer) {
        if (answer.request().header(CHECKSUM_HEADER) == null
                || !S3Failures.knowsNoChecksum(answer)) {
            return false;
        }
        checkByMd5();
        return true;
    }

    private void checkByMd5() {
        if (!md5Only) {
            md5Only = true;
            LOG.info(
                    "The store does not compare {}: segments are checked by Content-MD5 on their way"
                            + " from now on",
                    CHECKSUM_HEADER);
        }
    }

    /** The region and the correction of the time that a request was signed for. */
    private static final class SignedFor {

        private final String region;
        private final Duration offset;

        private SignedFor(String region, Duration offset) {
            this.region = region;
            this.offset = offset;
        }
    }
}
