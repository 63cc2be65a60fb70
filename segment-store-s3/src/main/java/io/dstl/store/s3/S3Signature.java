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

import io.minio.credentials.Credentials;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okio.ByteString;

/**
 * AWS's signature, version 4, of a request to S3, in its header {@code Authorization}. It covers
 * method, address, headers and, by its hash, the body: S3 refuses a request of which one of them
 * was changed on the way. MinIO's client has the same, for 1.2 MB of other libraries.
 */
final class S3Signature {

    /** Replaces the hash: the body is not covered. */
    static final String UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";

    /** The hash of an empty body. */
    static final String NO_PAYLOAD = ByteString.EMPTY.sha256().hex();

    private static final String ALGORITHM = "AWS4-HMAC-SHA256";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    /** Headers that a proxy may change. */
    private static final Set<String> NOT_COVERED =
            Set.of("accept-encoding", "authorization", "user-agent");

    private final Request request;
    private final String region;
    private final String payloadHash;
    private final String time;

    private S3Signature(Request request, String region, String payloadHash, String time) {
        this.request = request;
        this.region = region;
        this.payloadHash = payloadHash;
        this.time = time;
    }

    /**
     * @param request complete, except for the headers of the signature
     * @param payloadHash SHA-256 in hexadecimal digits, or {@link #UNSIGNED_PAYLOAD}
     */
    static Request sign(
            Request request,
            String region,
            Credentials credentials,
            String payloadHash,
            Instant now)
            throws GeneralSecurityException {
        Request.Builder complete =
                request.newBuilder()
                        .header("Host", host(request.url()))
                        .header("x-amz-content-sha256", payloadHash)
                        .header("x-amz-date", TIME.format(now));
        if (credentials.sessionToken() != null) {
            complete.header("X-Amz-Security-Token", credentials.sessionToken());
        }
        Request unsigned = complete.build();
        return unsigned.newBuilder()
                .header(
                        "Authorization",
                        new S3Signature(unsigned, region, payloadHash, TIME.format(now))
                                .authorization(credentials))
                .build();
    }

    private static String host(HttpUrl url) {
        String host = url.host().contains(":") ? "[" + url.host() + "]" : url.host();
        return url.port() == HttpUrl.defaultPort(url.scheme()) ? host : host + ":" + url.port();
    }

    private String authorization(Credentials credentials) throws GeneralSecurityException {
        Map<String, String> headers = headers();
        return ALGORITHM
                + " Credential="
                + credentials.accessKey()
                + "/"
                + scope()
                + ", SignedHeaders="
                + String.join(";", headers.keySet())
                + ", Signature="
                + signature(credentials.secretKey(), headers);
    }

    private String scope() {
        return day() + "/" + region + "/s3/aws4_request";
    }

    private String day() {
        return time.substring(0, 8);
    }

    /** By name in lower case, in order; white space normalized as the service does. */
    private Map<String, String> headers() {
        Map<String, String> headers = new TreeMap<>();
        for (String name : request.headers().names()) {
            String lowerCase = name.toLowerCase(Locale.US);
            if (!NOT_COVERED.contains(lowerCase)) {
                headers.put(
                        lowerCase,
                        request.headers(name).stream()
                                .map(value -> value.trim().replaceAll(" +", " "))
                                .collect(Collectors.joining(",")));
            }
        }
        return headers;
    }

    private String signature(String secretKey, Map<String, String> headers)
            throws GeneralSecurityException {
        String covered = ALGORITHM + "\n" + time + "\n" + scope() + "\n" + hash(canonical(headers));
        byte[] key = bytes("AWS4" + secretKey);
        for (String part : new String[] {day(), region, "s3", "aws4_request", covered}) {
            key = hmac(key, part);
        }
        return ByteString.of(key).hex();
    }

    /** The request in the form that both sides sign. */
    private String canonical(Map<String, String> headers) {
        StringBuilder text = new StringBuilder();
        text.append(request.method()).append('\n');
        text.append(request.url().encodedPath()).append('\n');
        text.append(query()).append('\n');
        headers.forEach((name, value) -> text.append(name + ":" + value + "\n"));
        text.append('\n');
        text.append(String.join(";", headers.keySet())).append('\n');
        return text.append(payloadHash).toString();
    }

    private String query() {
        String query = request.url().encodedQuery();
        return query == null
                ? ""
                : Arrays.stream(query.split("&"))
                        .map(pair -> pair.contains("=") ? pair : pair + "=")
                        .sorted()
                        .collect(Collectors.joining("&"));
    }

    private static String hash(String text) {
        return ByteString.encodeUtf8(text).sha256().hex();
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
