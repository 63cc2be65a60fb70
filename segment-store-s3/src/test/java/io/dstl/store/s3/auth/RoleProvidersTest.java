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
package io.dstl.store.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.dstl.store.s3.auth.CachedCredentials.TemporaryCredentials;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.store.s3.config.S3Keys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProviderException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of an instance's metadata service that are not those of AWS to the letter. */
class RoleProvidersTest {
    private static final String ROLES = "/latest/meta-data/iam/security-credentials/";

    private final List<String> tokens = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, String> environment = new HashMap<>();
    private HttpServer service;

    @BeforeEach
    void start() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.start();
        environment.put(
                "AWS_EC2_METADATA_SERVICE_ENDPOINT",
                "http://127.0.0.1:" + service.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        service.stop(0);
    }

    /** A host that does not exist would look like an outage. */
    @ParameterizedTest
    @ValueSource(strings = {"us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1", "eusc-de-east-1"})
    void standsBackWhereStsHasAnotherName(String region) throws Exception {
        environment.put("AWS_REGION", region);
        environment.put("AWS_WEB_IDENTITY_TOKEN_FILE", "/token");
        environment.put("AWS_ROLE_ARN", "role");
        assertThatThrownBy(this::source)
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining(region);

        environment.put("AWS_ACCESS_KEY_ID", "key");
        environment.put("AWS_SECRET_ACCESS_KEY", "secret");
        assertThat(source()).as("never asks STS").isNotNull();
    }

    private CredentialSource source() throws UnsupportedS3Exception {
        return CredentialSource.of(
                S3Keys.of(new Configuration(), S3FileSystemKind.PRESTO),
                S3FileSystemKind.PRESTO,
                name -> Optional.ofNullable(environment.get(name)));
    }

    private void serve(String token, String end, String sessionToken) {
        service.createContext("/latest/api/token", exchange -> send(exchange, token));
        service.createContext(
                ROLES,
                exchange -> {
                    tokens.add(
                            String.valueOf(
                                    exchange.getRequestHeaders()
                                            .getFirst("X-aws-ec2-metadata-token")));
                    boolean named = exchange.getRequestURI().getPath().equals(ROLES + "role");
                    send(
                            exchange,
                            named
                                    ? "{\"Code\":\"Success\",\"AccessKeyId\":\"key\","
                                            + "\"SecretAccessKey\":\"secret\",\"Token\":\""
                                            + sessionToken
                                            + "\",\"Expiration\":\""
                                            + end
                                            + "\"}"
                                    : "role");
                });
    }

    private static void send(HttpExchange exchange, String answer) throws IOException {
        send(exchange, 200, answer);
    }

    private static void send(HttpExchange exchange, int status, String answer) throws IOException {
        byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private TemporaryCredentials fetch() {
        return (TemporaryCredentials) providers().ofInstance();
    }

    private RoleProviders providers() {
        return new RoleProviders(
                new RoleRequests(new OkHttpClient()),
                name -> Optional.ofNullable(environment.get(name)));
    }

    @Test
    void sendsTheTokenWithoutTheBlanksAroundIt() {
        serve("the-token\n", "2100-01-01T00:00:00Z", "session");

        assertThat(fetch().accessKey()).isEqualTo("key");
        assertThat(tokens).isNotEmpty().containsOnly("the-token");
    }

    /** What STS says of the role is final; that it could not check the token is not. */
    @ParameterizedTest
    @CsvSource({
        "400, IDPCommunicationError, true",
        "400, Throttling, true",
        "429, '', true",
        "503, '', true",
        "403, AccessDenied, false",
        "400, InvalidIdentityToken, true",
        "400, ValidationError, false",
    })
    void tellsWhetherTheServiceOfARoleMayAnswerLater(
            int status, String code, boolean later, @TempDir Path directory) throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "a-token");
        environment.put("AWS_WEB_IDENTITY_TOKEN_FILE", token.toString());
        environment.put("AWS_ROLE_ARN", "arn:aws:iam::1:role/flink");
        String error =
                code.isEmpty()
                        ? ""
                        : "<ErrorResponse><Error><Code>" + code + "</Code></Error></ErrorResponse>";
        service.createContext("/sts", exchange -> send(exchange, status, error));
        HttpUrl sts = HttpUrl.get("http://127.0.0.1:" + service.getAddress().getPort() + "/sts");

        assertThatThrownBy(() -> providers().ofWebIdentity(sts))
                .isInstanceOf(
                        later
                                ? CredentialChain.UnavailableException.class
                                : RoleRequests.RefusedException.class);
    }

    @Test
    void saysNothingOfATokenThatIsNone() {
        serve("two\nlines", "2100-01-01T00:00:00Z", "session");

        assertThatThrownBy(this::fetch)
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("no token of one line")
                .hasMessageNotContaining("two");
        assertThat(tokens).isEmpty();
    }

    @Test
    void anEmptyTokenIsNone() {
        serve("", "2100-01-01T00:00:00Z", "session");

        assertThat(fetch().accessKey()).isEqualTo("key");
        assertThat(tokens).containsOnly("null");
        environment.put("AWS_EC2_METADATA_V1_DISABLED", "true");
        assertThatThrownBy(this::fetch)
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("AWS_EC2_METADATA_V1_DISABLED is true")
                .hasMessageContaining("empty");
    }

    @ParameterizedTest
    @CsvSource({
        "2100-01-01T01:00:00Z, 2100-01-01T01:00:00Z",
        "2100-01-01T01:00:00.5Z, 2100-01-01T01:00:00.500Z",
        "2100-01-01T01:00:00.123456789Z, 2100-01-01T01:00:00.123456789Z",
        "2100-01-01T03:00:00+02:00, 2100-01-01T01:00:00Z"
    })
    void readsEachEndThatISO8601Has(String said, Instant end) {
        serve("token", said, "session");

        assertThat(fetch().end()).isEqualTo(end);
    }

    @Test
    void takesNoCredentialsWithoutASessionToken() {
        serve("token", "2100-01-01T01:00:00Z", "");

        assertThatThrownBy(this::fetch)
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("gives no session token");
    }
}
