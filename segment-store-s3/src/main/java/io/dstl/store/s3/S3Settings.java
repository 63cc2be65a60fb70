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

import io.dstl.store.s3.auth.CredentialSource;
import io.dstl.store.s3.config.EnvironmentProxy;
import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import io.dstl.store.s3.config.NativeEndpoint;
import io.dstl.store.s3.config.Regions;
import io.dstl.store.s3.config.S3Capabilities;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.store.s3.config.S3Keys;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import okhttp3.HttpUrl;
import org.apache.flink.configuration.Configuration;

/** How to connect to S3, read from the keys of Flink's file systems. Immutable. */
final class S3Settings {

    private static final int DEFAULT_MAX_CONNECTIONS = 96;
    private static final int DEFAULT_ENTROPY_LENGTH = 4;
    private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration DEFAULT_SOCKET_TIMEOUT = Duration.ofSeconds(30);

    private static final String WHOLE_AWS = "s3.amazonaws.com";

    /** S3's default, which stores without regions accept too. */
    private static final String DEFAULT_REGION = "us-east-1";

    private static final Pattern AWS_HOST =
            Pattern.compile(
                    "s3[.-](?:dualstack\\.)?([a-z]{2}(?:-[a-z]+)+-\\d)\\.amazonaws\\.com(?:\\.cn)?");

    /** {@code SDKGlobalConfiguration} of the AWS SDK for Java 1.x. */
    private static final String UNCHECKED_CERTIFICATES = "com.amazonaws.sdk.disableCertChecking";

    /** Holds the certificate by which the JVM, and so the SDKs, show a store who they are. */
    private static final String CLIENT_CERTIFICATE = "javax.net.ssl.keyStore";

    private final HttpUrl endpoint;
    private final String region;
    private final Optional<SSLContext> ownCertificate;
    private final boolean virtualHosts;
    private final CredentialSource credentials;
    private final int maxConnections;
    private final Duration connectTimeout;
    private final Duration socketTimeout;
    private final Optional<String> entropyMarker;
    private final int entropyLength;

    private S3Settings(S3Keys keys, S3FileSystemKind kind, S3Environment environment)
            throws UnsupportedS3Exception {
        boolean secure = isSecure(keys, kind);
        this.endpoint = endpoint(keys, secure);
        this.region = region(keys, environment, endpoint);
        checkPartition();
        this.ownCertificate = ownCertificate(environment, endpoint);
        this.virtualHosts = !keys.flag(false, "path.style.access") && !isAddress(endpoint.host());
        EnvironmentProxy.check(environment, secure, endpoint.host(), virtualHosts);
        EnvironmentProxy.checkUser(environment, service(), virtualHosts);
        this.credentials = CredentialSource.of(keys, kind, environment);
        this.maxConnections =
                keys.positive(
                        DEFAULT_MAX_CONNECTIONS,
                        "connection.maximum",
                        "max.connections",
                        "connection.max");
        // The only key that means two different things in two of the file systems.
        boolean isNative = kind == S3FileSystemKind.NATIVE;
        this.connectTimeout =
                isNative
                        ? keys.duration(DEFAULT_CONNECT_TIMEOUT, "connection.timeout")
                        : keys.duration(
                                DEFAULT_CONNECT_TIMEOUT,
                                "connection.establish.timeout",
                                "connect.timeout");
        this.socketTimeout =
                isNative
                        ? keys.duration(DEFAULT_SOCKET_TIMEOUT, "socket.timeout")
                        : keys.duration(
                                DEFAULT_SOCKET_TIMEOUT, "connection.timeout", "socket.timeout");
        this.entropyMarker = keys.text("entropy.key");
        this.entropyLength = keys.positive(DEFAULT_ENTROPY_LENGTH, "entropy.length");
    }

    /**
     * @throws UnsupportedS3Exception if the direct client does not support the configuration
     */
    static S3Settings from(Configuration config, S3FileSystemKind kind, S3Environment environment)
            throws UnsupportedS3Exception {
        S3Keys keys = S3Keys.of(config, kind);
        S3Capabilities.check(keys, kind);
        S3Capabilities.checkTokens(config);
        if (kind == S3FileSystemKind.NATIVE) {
            NativeEndpoint.check(keys, environment);
        } else {
            checkCertificates(environment);
        }
        return new S3Settings(keys, kind, environment);
    }

    /** The first SDK, which the older file systems use, trusts any certificate then. */
    private static void checkCertificates(S3Environment environment) throws UnsupportedS3Exception {
        Optional<String> unchecked = environment.given(UNCHECKED_CERTIFICATES);
        if (unchecked.filter(value -> !value.equalsIgnoreCase("false")).isPresent()) {
            throw new UnsupportedS3Exception(
                    "the system property " + UNCHECKED_CERTIFICATES + " is set",
                    "Add the store's certificate to Java's trust store and leave the property out,"
                            + " or set state.changelog.dstl.dfs.s3.client to filesystem");
        }
    }

    private static HttpUrl endpoint(S3Keys keys, boolean secure) throws UnsupportedS3Exception {
        String scheme = secure ? "https://" : "http://";
        String configured = keys.text("endpoint").orElse(WHOLE_AWS);
        HttpUrl url = HttpUrl.parse(configured.contains("://") ? configured : scheme + configured);
        if (url == null || !url.encodedPath().equals("/") || url.query() != null) {
            throw new UnsupportedS3Exception(
                    keys.entry("endpoint").map(S3Keys.Entry::shown).orElse(configured),
                    "Set it to a host with an optional port, such as https://s3.example.com:9000");
        }
        return url;
    }

    /** Presto's file system and Hadoop's each ignore the key of the other. */
    private static boolean isSecure(S3Keys keys, S3FileSystemKind kind)
            throws UnsupportedS3Exception {
        switch (kind) {
            case PRESTO:
                return keys.flag(true, "ssl.enabled");
            case HADOOP:
                return keys.flag(true, "connection.ssl.enabled");
            case NATIVE:
                return keys.flag(true, "connection.ssl.enabled", "ssl.enabled");
        }
        throw new AssertionError(kind);
    }

    private static String region(S3Keys keys, S3Environment environment, HttpUrl endpoint)
            throws UnsupportedS3Exception {
        Optional<String> configured = Regions.configured(keys);
        if (configured.isPresent()) {
            return configured.get();
        }
        Matcher host = AWS_HOST.matcher(endpoint.host());
        if (host.matches()) {
            return host.group(1);
        }
        for (String name : List.of("AWS_REGION", "AWS_DEFAULT_REGION")) {
            Optional<String> region = Regions.ofVariable(environment, name);
            if (region.isPresent()) {
                return region.get();
            }
        }
        return DEFAULT_REGION;
    }

    /** The endpoint of a region in an isolated partition has another name. */
    private void checkPartition() throws UnsupportedS3Exception {
        if (isWholeAws() && Regions.isIsolated(region)) {
            throw new UnsupportedS3Exception(
                    "region " + region + " has an endpoint of its own",
                    "Set s3.endpoint to it, such as https://s3." + region + ".example");
        }
    }

    private static Optional<SSLContext> ownCertificate(S3Environment environment, HttpUrl endpoint)
            throws UnsupportedS3Exception {
        if (!endpoint.isHttps() || environment.property(CLIENT_CERTIFICATE).isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(SSLContext.getDefault());
        } catch (NoSuchAlgorithmException e) {
            throw new UnsupportedS3Exception(
                    "Java cannot use the system property " + CLIENT_CERTIFICATE,
                    "Correct it, and its password and type, or leave it out");
        }
    }

    /** Shows the store the JVM's own certificate, if it has one for its connections. */
    Optional<SSLContext> ownCertificate() {
        return ownCertificate;
    }

    /** To which requests go, for buckets in the region. */
    private HttpUrl service() {
        return isWholeAws()
                ? endpoint.newBuilder().host(S3Object.S3Addresses.ofRegion(region)).build()
                : endpoint;
    }

    /** An address can't be prefixed by a bucket's name. */
    private static boolean isAddress(String host) {
        return host.contains(":") || host.matches("[0-9.]+") || host.equals("localhost");
    }

    HttpUrl endpoint() {
        return endpoint;
    }

    /** Whether others than this machine can see and change the traffic. */
    boolean isReadableOnTheWay() {
        return !endpoint.isHttps() && !isLoopback(endpoint.host());
    }

    /** By the name alone, without DNS. */
    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("::1") || host.matches("127\\.[0-9.]+");
    }

    /** Whether the endpoint stands for those of all regions. */
    boolean isWholeAws() {
        return endpoint.host().equals(WHOLE_AWS);
    }

    String region() {
        return region;
    }

    /** Whether the bucket is part of the host's name, not of the path. */
    boolean virtualHosts() {
        return virtualHosts;
    }

    CredentialSource credentials() {
        return credentials;
    }

    /** Concurrent connections to one host. */
    int maxConnections() {
        return maxConnections;
    }

    /** Zero: none. */
    Duration connectTimeout() {
        return connectTimeout;
    }

    /** Between two packets; zero: none. */
    Duration socketTimeout() {
        return socketTimeout;
    }

    /** The marker that entropy replaces in a base path. */
    Optional<String> entropyMarker() {
        return entropyMarker;
    }

    /** In characters. */
    int entropyLength() {
        return entropyLength;
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "endpoint "
                + endpoint.scheme()
                + "://"
                + endpoint.host()
                + ":"
                + endpoint.port()
                + ", region "
                + region
                + ", "
                + (virtualHosts ? "virtual hosts" : "path style")
                + ", credentials from "
                + credentials;
    }
}
