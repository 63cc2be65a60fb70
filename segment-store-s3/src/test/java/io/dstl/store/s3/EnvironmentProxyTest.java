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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As the AWS SDK reads the variables. */
class EnvironmentProxyTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                // variable   | NO_PROXY              | ssl   | path  | through the proxy
                "HTTPS_PROXY  | -                     | true  | true  | true",
                "https_proxy  | -                     | true  | true  | true",
                "HTTP_PROXY   | -                     | true  | true  | false",
                "HTTP_PROXY   | -                     | false | true  | true",
                "http_proxy   | -                     | false | true  | true",
                "HTTPS_PROXY  | -                     | false | true  | false",
                "ALL_PROXY    | -                     | true  | true  | false",
                "HTTPS_PROXY  | store.example.com     | true  | true  | false",
                "HTTPS_PROXY  | STORE.example.com     | true  | true  | false",
                "HTTPS_PROXY  | a.com,*.example.com   | true  | true  | false",
                "HTTPS_PROXY  | *                     | true  | true  | false",
                "HTTPS_PROXY  | .example.com          | true  | true  | true",
                "HTTPS_PROXY  | example.com           | true  | true  | true",
                "HTTPS_PROXY  | [                     | true  | true  | true",
                "HTTPS_PROXY  | store.example.com     | true  | false | true",
                "HTTPS_PROXY  | b.store.example.com   | true  | false | true",
                "HTTPS_PROXY  | *.store.example.com   | true  | false | false",
            })
    void keepsTheDirectClientAway(
            String variable, String noProxy, String ssl, String pathStyle, boolean through) {
        for (String nameOfNoProxy : new String[] {"NO_PROXY", "no_proxy"}) {
            S3Environment environment =
                    name ->
                            name.equals(nameOfNoProxy)
                                    ? Optional.ofNullable(noProxy)
                                    : Optional.of("http://proxy:3128")
                                            .filter(proxy -> name.equals(variable));
            assertThat(isRefused(environment, ssl, pathStyle)).isEqualTo(through);
        }
    }

    private static boolean isRefused(S3Environment environment, String ssl, String pathStyle) {
        Configuration config = new Configuration();
        config.setString("s3.endpoint", "store.example.com:9000");
        config.setString("s3.ssl.enabled", ssl);
        config.setString("s3.path-style-access", pathStyle);
        try {
            S3Settings.from(config, S3FileSystemKind.PRESTO, environment);
            return false;
        } catch (UnsupportedS3Exception e) {
            assertThat(e).hasMessageContaining("_PROXY").hasMessageContaining("example.com");
            return true;
        }
    }

    /** The direct client uses the proxy as well, but does not tell it who it is. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "store.example.com:9000, https.proxyUser, store.example.com, true",
                "https://store.example.com, http.proxyUser, store.example.com, false",
                "http://store.example.com, http.proxyUser, store.example.com, true",
                "store.example.com:9000, https.proxyUser, other.example.com, false",
                "store.example.com:9000, -, store.example.com, false",
                "-, https.proxyUser, s3.eu-central-1.amazonaws.com, true",
                "-, https.proxyUser, s3.amazonaws.com, false",
            })
    void keepsTheDirectClientFromAProxyThatKnowsItsUsers(
            String endpoint, String user, String proxied, boolean refused) throws Exception {
        Configuration config = new Configuration();
        if (endpoint != null) {
            config.setString("s3.endpoint", endpoint);
        }
        config.setString("s3.endpoint.region", "eu-central-1");
        GivenEnvironment environment = new GivenEnvironment();
        if (user != null) {
            environment.withProperty(user, "me-myself");
        }
        ProxySelector before = ProxySelector.getDefault();
        ProxySelector.setDefault(new OneHostsProxy("any-bucket." + proxied));
        try {
            ThrowingCallable reading =
                    () -> S3Settings.from(config, S3FileSystemKind.PRESTO, environment);
            if (refused) {
                assertThatThrownBy(reading)
                        .isInstanceOf(UnsupportedS3Exception.class)
                        .hasMessageContaining(user)
                        .hasMessageContaining("Add *." + proxied + " to http.nonProxyHosts")
                        .hasMessageNotContaining("me-myself");
            } else {
                assertThatCode(reading).doesNotThrowAnyException();
            }
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    /** The JVM has a proxy for one host. */
    private static final class OneHostsProxy extends ProxySelector {

        private final String host;

        OneHostsProxy(String host) {
            this.host = host;
        }

        @Override
        public List<Proxy> select(URI uri) {
            InetSocketAddress address = InetSocketAddress.createUnresolved("proxy", 3128);
            return List.of(
                    uri.getHost().equals(host)
                            ? new Proxy(Proxy.Type.HTTP, address)
                            : Proxy.NO_PROXY);
        }

        @Override
        public void connectFailed(URI uri, SocketAddress proxy, IOException failure) {}
    }
}
