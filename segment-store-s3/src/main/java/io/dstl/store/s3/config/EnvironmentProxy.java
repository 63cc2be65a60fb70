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
package io.dstl.store.s3.config;

import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import java.net.Proxy;
import java.net.ProxySelector;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import okhttp3.HttpUrl;

/**
 * The proxy that the AWS SDK in Flink's plugins takes from {@code HTTPS_PROXY} or {@code
 * HTTP_PROXY}, by whether the plugin is configured for TLS, unless {@code NO_PROXY} has the host.
 * The direct client does not, so it is not used if there is one. Both use the JVM's proxy, but only
 * the SDK with a user's name.
 */
public final class EnvironmentProxy {

    /** Stands for every bucket: a pattern that covers one bucket need not cover the others. */
    private static final String ANY_BUCKET = "any-bucket.";

    private EnvironmentProxy() {}

    /**
     * @param secure whether the plugin is configured for TLS
     * @param virtualHosts whether the name of a bucket comes before the host's
     * @throws UnsupportedS3Exception naming the variable; its value may hold a password
     */
    public static void check(
            S3Environment environment, boolean secure, String endpointHost, boolean virtualHosts)
            throws UnsupportedS3Exception {
        Optional<String> proxy = nameIfSet(environment, secure ? "HTTPS_PROXY" : "HTTP_PROXY");
        String host = virtualHosts ? ANY_BUCKET + endpointHost : endpointHost;
        if (proxy.isPresent() && !leavesOut(environment, host)) {
            throw new UnsupportedS3Exception(
                    "the environment variable "
                            + proxy.get()
                            + " is set, and NO_PROXY leaves out no "
                            + host,
                    "Add "
                            + (virtualHosts ? "*." + endpointHost : endpointHost)
                            + " to NO_PROXY if no proxy is needed, or set"
                            + " state.changelog.dstl.dfs.s3.client to filesystem");
        }
    }

    /**
     * @param service gives credentials; called without a proxy
     * @throws UnsupportedS3Exception if the plugin uses a proxy for it, set in the environment or
     *     for this JVM: the direct way may be closed
     */
    public static void checkCredentials(S3Environment environment, HttpUrl service)
            throws UnsupportedS3Exception {
        check(environment, service.isHttps(), service.host(), false);
        if (hasProxy(service)) {
            throw new UnsupportedS3Exception(
                    "this JVM has a proxy for " + service.host() + ", which gives credentials",
                    "Add it to http.nonProxyHosts if no proxy is needed, or set"
                            + " state.changelog.dstl.dfs.s3.client to filesystem");
        }
    }

    /**
     * @param service to which requests for objects go
     * @param virtualHosts whether the name of a bucket comes before the host's
     * @throws UnsupportedS3Exception if this JVM has a proxy for the service, and a user's name for
     *     it
     */
    public static void checkUser(S3Environment environment, HttpUrl service, boolean virtualHosts)
            throws UnsupportedS3Exception {
        String host = virtualHosts ? ANY_BUCKET + service.host() : service.host();
        String user = service.isHttps() ? "https.proxyUser" : "http.proxyUser";
        if (environment.property(user).isPresent()
                && hasProxy(service.newBuilder().host(host).build())) {
            throw new UnsupportedS3Exception(
                    "this JVM has a proxy for "
                            + host
                            + ", and the system property "
                            + user
                            + " is set",
                    "Add "
                            + (virtualHosts ? "*." + service.host() : host)
                            + " to http.nonProxyHosts if no proxy is needed, or set"
                            + " state.changelog.dstl.dfs.s3.client to filesystem");
        }
    }

    private static boolean hasProxy(HttpUrl service) {
        ProxySelector selector = ProxySelector.getDefault();
        return selector != null
                && selector.select(service.uri()).stream()
                        .anyMatch(proxy -> proxy.type() != Proxy.Type.DIRECT);
    }

    /** In upper or lower case, as the SDK reads it. */
    private static Optional<String> nameIfSet(S3Environment environment, String name) {
        if (environment.variable(name).isPresent()) {
            return Optional.of(name);
        }
        String lowerCase = name.toLowerCase(Locale.ROOT);
        return environment.variable(lowerCase).map(value -> lowerCase);
    }

    private static boolean leavesOut(S3Environment environment, String host) {
        String patterns =
                nameIfSet(environment, "NO_PROXY").flatMap(environment::variable).orElse("");
        for (String pattern : patterns.toLowerCase(Locale.ROOT).split("[,|]")) {
            if (matches(pattern, host.toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    /** As the SDK matches: the whole name, where a star is any text and no suffix is implied. */
    private static boolean matches(String pattern, String host) {
        try {
            return Pattern.matches(pattern.replace("*", ".*?"), host);
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    /** The environment variables and system properties of the process. */
    public interface S3Environment {

        /** Empty if it is not set, or set to nothing. */
        Optional<String> variable(String name);

        /** Empty if it is not set, or set to nothing. */
        default Optional<String> property(String name) {
            return Optional.ofNullable(System.getProperty(name)).filter(value -> !value.isEmpty());
        }

        /** Also empty text; empty if it is not set. */
        default Optional<String> given(String property) {
            return Optional.ofNullable(System.getProperty(property));
        }

        static S3Environment ofProcess() {
            return name ->
                    Optional.ofNullable(System.getenv(name)).filter(value -> !value.isEmpty());
        }
    }
}
