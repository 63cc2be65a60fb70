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
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.store.s3.config.S3Keys;
import io.dstl.testkit.ManualTimer;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Credentials of a role, from services in this JVM: an agent, an instance's metadata, and STS. */
class CredentialSourceTest {

    private static final String FULL_URI = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

    private static final String PROVIDER = "fs.s3a.aws.credentials.provider";
    private static final String AWS_V1 = "com.amazonaws.auth.";
    private static final String WRAPPER = AWS_V1 + "EC2ContainerCredentialsProviderWrapper";
    private static final String AWS_V2 = "software.amazon.awssdk.auth.credentials.";
    private static final String CONTAINER = AWS_V2 + "ContainerCredentialsProvider";

    private static final String TOKEN = "X-aws-ec2-metadata-token";
    private static final String ROLES = "/latest/meta-data/iam/security-credentials/";

    private static final String STS_ANSWER =
            "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
                    + "<AssumeRoleWithWebIdentityResult><Credentials>"
                    + "<AccessKeyId>${java.home}</AccessKeyId>"
                    + "<SecretAccessKey>b</SecretAccessKey><SessionToken>c</SessionToken>"
                    + "<Expiration>2100-01-01T01:00:00Z</Expiration>"
                    + "</Credentials></AssumeRoleWithWebIdentityResult>"
                    + "</AssumeRoleWithWebIdentityResponse>";

    @TempDir private Path directory;

    private final AtomicInteger asked = new AtomicInteger();
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, String> environment = new HashMap<>();
    private final ManualTimer timer = new ManualTimer();
    private OkHttpClient http = new OkHttpClient();
    private HttpServer service;

    @BeforeEach
    void startService() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", this::answer);
        service.start();
        environment.put(FULL_URI, address("/v2/credentials"));
    }

    private String address(String path) {
        return "http://127.0.0.1:" + service.getAddress().getPort() + path;
    }

    @AfterEach
    void stop() {
        service.stop(0);
    }

    /** As the agent of ECS: it knows each path with one slash only. */
    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        String header = exchange.getRequestHeaders().getFirst("Authorization");
        requests.add(exchange.getRequestMethod() + " " + path + " " + header);
        if (path.contains("//")) {
            redirect(exchange, path.substring(path.lastIndexOf("//") + 1));
        } else {
            String keys =
                    "{\"AccessKeyId\":\"role-key-%d\",\"SecretAccessKey\":\"role-secret\","
                            + "\"Other\":{\"a\":[1]},\"Token\":\"role-token\","
                            + "\"Expiration\":\"2100-01-01T01:00:00Z\"}";
            send(exchange, 200, String.format(Locale.ROOT, keys, asked.incrementAndGet()));
        }
    }

    private static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().set("Location", to);
        exchange.sendResponseHeaders(307, -1);
        exchange.close();
    }

    private static void send(HttpExchange exchange, int status, String answer) throws IOException {
        byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void serveAgent(String path, HttpHandler handler) {
        service.createContext(path, handler);
        environment.put(FULL_URI, address(path));
    }

    /** Of the container's role, else the instance's. */
    private RenewedCredentials chain() throws Exception {
        return chain(WRAPPER);
    }

    private RenewedCredentials chain(String provider) throws Exception {
        return chain(S3FileSystemKind.HADOOP, PROVIDER, provider);
    }

    private RenewedCredentials chain(S3FileSystemKind kind, String key, String value)
            throws Exception {
        Configuration config = new Configuration();
        config.setString(key, value);
        return CredentialSource.of(S3Keys.of(config, kind), kind, this::variable)
                .open(
                        http,
                        this::variable,
                        () -> Instant.parse("2100-01-01T00:00:00Z").plusNanos(timer.nanos()),
                        timer,
                        Runnable::run);
    }

    private Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name));
    }

    @Test
    void followsTheAgentsRedirect() throws Exception {
        environment.put(FULL_URI, address("//v2/credentials"));

        Credentials found = chain().fetch();

        assertThat(found.accessKey()).isEqualTo("role-key-1");
        assertThat(found.sessionToken()).isEqualTo("role-token");
    }

    @Test
    void followsNoRedirectToAnotherHost() throws Exception {
        String away = "http://localhost:" + service.getAddress().getPort() + "/v2/credentials";
        serveAgent("/away", exchange -> redirect(exchange, away));

        assertThatThrownBy(() -> chain().fetch())
                .hasMessageContaining("redirects a request for credentials to another host");
        assertThat(asked).hasValue(0);
    }

    @Test
    void followsNoLoopOfRedirects() throws Exception {
        serveAgent("/loop", exchange -> redirect(exchange, "/loop"));

        assertThatThrownBy(() -> chain().fetch()).hasMessageContaining("without an end");
    }

    /** Which would have the credentials. */
    @Test
    void looksForNoProxy() throws Exception {
        ProxySelector before = ProxySelector.getDefault();
        AtomicInteger looked = new AtomicInteger();
        ProxySelector.setDefault(
                new ProxySelector() {
                    @Override
                    public List<Proxy> select(URI uri) {
                        looked.incrementAndGet();
                        return List.of(Proxy.NO_PROXY);
                    }

                    @Override
                    public void connectFailed(URI uri, SocketAddress proxy, IOException failure) {}
                });
        try {
            assertThat(chain().fetch().accessKey()).isEqualTo("role-key-1");
        } finally {
            ProxySelector.setDefault(before);
        }
        assertThat(looked).hasValue(0);
    }

    /** As EKS Pod Identity has it; the file is written anew from time to time. */
    @Test
    void givesTheAgentTheTokenOfTheFile() throws Exception {
        Path token = directory.resolve("token");
        environment.put("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token.toString());
        environment.put("AWS_CONTAINER_AUTHORIZATION_TOKEN", "another");
        Files.writeString(token, "first\n");
        chain().fetch();
        Files.writeString(token, "second\n");
        chain().fetch();
        assertThat(requests)
                .containsExactly("GET /v2/credentials first", "GET /v2/credentials second");

        Files.writeString(token, "two\nlines");
        assertThatThrownBy(() -> chain().fetch())
                .hasMessageContaining("TOKEN_FILE holds no token of one line")
                .hasMessageNotContaining("lines)");
        assertThat(asked).hasValue(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://192.0.2.1/v1 | names 192.0.2.1, which is asked with TLS only",
                "http://169.254.169.254/v1 | names 169.254.169.254, which is asked with TLS only",
                "http://169.254.170.23/v1 | not in this network",
                "http://[fd00:ec2::23]/v1 | not in this network"
            })
    void asksWithoutTlsNoAgentsButThoseOfEcsAndEks(String uri, String problem) {
        environment.put(FULL_URI, uri);
        Interceptor noNetwork =
                request -> {
                    throw new IOException("not in this network");
                };
        http = http.newBuilder().addInterceptor(noNetwork).build();

        assertThatThrownBy(() -> chain().fetch()).hasMessageContaining(problem);
    }

    @Test
    void tellsHowTheAgentRefused() throws Exception {
        serveAgent("/refused", exchange -> send(exchange, 403, "AKIDSECRET"));

        assertThatThrownBy(() -> chain().fetch())
                .hasMessageContaining("answered with status 403")
                .hasMessageNotContaining("AKIDSECRET");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{\"AccessKeyId\":\"AKIDSECRET\"}",
                "{\"Code\":\"None\",\"AccessKeyId\":\"AKIDSECRET\"}",
                "{\"AccessKeyId\":\"AKIDSECRET\",\"SecretAccessKey\":\"a\",\"Token\":\"b\"}",
                "{\"AccessKeyId\":\"AKIDSECRET\",\"SecretAccessKey\":\"a\","
                        + "\"Expiration\":\"2100-01-01T01:00:00Z\"}",
                "{AKIDSECRET",
                "{"
            })
    void repeatsNothingOfAnAnswerThatItDoesNotUnderstand(String answer) throws Exception {
        serveAgent("/broken", exchange -> send(exchange, 200, answer));

        assertThatThrownBy(() -> chain().fetch())
                .isInstanceOf(ProviderException.class)
                .hasMessageNotContaining("AKIDSECRET")
                .hasMessageNotContaining("/broken");
    }

    /** MinIO's provider would keep them until ten seconds before their end. */
    @Test
    void asksTheAgentAnewBeforeTheEnd() throws Exception {
        RenewedCredentials chain = chain();
        chain.fetch();
        timer.advance(Duration.ofMinutes(55).minusMillis(1));
        assertThat(asked).hasValue(1);

        timer.advance(Duration.ofMillis(1));

        assertThat(asked).hasValue(2);
        assertThat(chain.fetch().accessKey()).isEqualTo("role-key-2");
    }

    /** A machine's role is the machine's, whatever the pod has beside it. */
    @Test
    void asksTheMachineWhereAWebIdentityIsOfferedToo() throws Exception {
        environment.put("AWS_WEB_IDENTITY_TOKEN_FILE", directory.resolve("none").toString());

        assertThat(chain().fetch().accessKey()).isEqualTo("role-key-1");
    }

    /** A pod's role may be another than that of the instance it is on. */
    @ParameterizedTest
    @CsvSource({
        "HADOOP, " + PROVIDER + ", " + AWS_V1 + "InstanceProfileCredentialsProvider",
        "HADOOP, " + PROVIDER + ", " + AWS_V2 + "InstanceProfileCredentialsProvider",
        "PRESTO, presto.s3.use-instance-credentials, true",
    })
    void asksNoContainersAgentForTheInstancesRole(S3FileSystemKind kind, String key, String value)
            throws Exception {
        serveMetadata(200);
        environment.put(FULL_URI, address("/v2/credentials"));

        chain(kind, key, value).fetch();

        assertThat(requests)
                .contains("GET " + ROLES + "a-role null")
                .noneMatch(request -> request.contains("/v2/credentials"));
    }

    @Test
    void asksNoInstanceForTheContainersRole() throws Exception {
        serveMetadata(200);

        assertThatThrownBy(() -> chain(CONTAINER).fetch())
                .hasMessageContaining("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
                .hasMessageContaining(FULL_URI);
        assertThat(requests).isEmpty();
    }

    /** As the SDK's wrapper: the instance is asked only where there is no agent. */
    @ParameterizedTest
    @ValueSource(
            strings = {WRAPPER, "org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider"})
    void asksTheContainersAgentBeforeTheInstance(String provider) throws Exception {
        serveMetadata(200);
        chain(provider).fetch();
        assertThat(requests).contains("GET " + ROLES + "a-role null");

        requests.clear();
        environment.put(FULL_URI, address("/v2/credentials"));
        chain(provider).fetch();
        assertThat(requests).containsExactly("GET /v2/credentials null");
    }

    /** As the SDK does it: two entries of the list, each asked for itself. */
    @Test
    void asksTheInstanceAfterTheContainersAgentWhereBothAreNamed() throws Exception {
        serveMetadata(200);
        serveAgent("/refused", exchange -> send(exchange, 403, ""));

        chain(CONTAINER + "," + AWS_V2 + "InstanceProfileCredentialsProvider").fetch();

        assertThat(requests).contains("GET " + ROLES + "a-role null");
    }

    @Test
    void connectsNoSocketByItself() {
        SocketFactory sockets = new RoleRequests.DirectSockets();

        assertThatThrownBy(() -> sockets.createSocket("127.0.0.1", 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("127.0.0.1:1");
        assertThatThrownBy(() -> sockets.createSocket(InetAddress.getLoopbackAddress(), 2))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(":2");
    }

    private void serveMetadata(int statusOfTokens) {
        environment.remove(FULL_URI);
        environment.put("AWS_EC2_METADATA_SERVICE_ENDPOINT", address(""));
        service.createContext(
                "/latest/api/token", exchange -> send(exchange, statusOfTokens, "a-token"));
        service.createContext(
                ROLES,
                exchange -> {
                    requests.add("" + exchange.getRequestHeaders().getFirst(TOKEN));
                    if (exchange.getRequestURI().getPath().equals(ROLES)) {
                        send(exchange, 200, "a-role\n");
                    } else {
                        answer(exchange);
                    }
                });
    }

    @Test
    void asksTheInstanceWithAToken() throws Exception {
        serveMetadata(200);

        assertThat(chain().fetch().accessKey()).isEqualTo("role-key-1");
        assertThat(requests).contains("a-token", "GET " + ROLES + "a-role null");
    }

    @ParameterizedTest
    @CsvSource({"404, false, true", "403, false, true", "400, false, false", "404, TRUE, false"})
    void asksTheInstanceWithoutATokenUnlessThatIsForbidden(
            int status, String v1Disabled, boolean asks) throws Exception {
        serveMetadata(status);
        environment.put("AWS_EC2_METADATA_V1_DISABLED", v1Disabled);

        if (asks) {
            assertThat(chain().fetch().accessKey()).isEqualTo("role-key-1");
        } else {
            assertThatThrownBy(() -> chain().fetch()).isInstanceOf(ProviderException.class);
        }
        assertThat(requests.isEmpty()).isNotEqualTo(asks);
    }

    @Test
    void asksNoInstanceWhereThatIsDisabled() throws Exception {
        serveMetadata(200);
        environment.put("AWS_EC2_METADATA_DISABLED", "true");

        assertThatThrownBy(() -> chain().fetch())
                .hasMessageContaining("AWS_EC2_METADATA_DISABLED is true");
        assertThat(requests).isEmpty();
    }

    private Provider webIdentity() throws Exception {
        environment.put("AWS_ROLE_ARN", "arn:aws:iam::1:role/r");
        Path token = Files.writeString(directory.resolve("web-token"), "a web token\n");
        environment.put("AWS_WEB_IDENTITY_TOKEN_FILE", token.toString());
        RoleProviders roles = new RoleProviders(new RoleRequests(http), this::variable);
        return () -> roles.ofWebIdentity(HttpUrl.get(address("/sts")));
    }

    @Test
    void sendsStsTheTokenAndTakesItsAnswerAsItIs() throws Exception {
        service.createContext(
                "/sts",
                exchange -> {
                    byte[] form = exchange.getRequestBody().readAllBytes();
                    requests.add(exchange.getRequestURI() + " " + new String(form, "UTF-8"));
                    send(exchange, 200, STS_ANSWER);
                });

        var found = (CachedCredentials.TemporaryCredentials) webIdentity().fetch();

        assertThat(found.accessKey()).isEqualTo("${java.home}");
        assertThat(found.sessionToken()).isEqualTo("c");
        assertThat(found.end()).isEqualTo("2100-01-01T01:00:00Z");
        assertThat(requests)
                .singleElement()
                .asString()
                .startsWith("/sts Action=AssumeRoleWithWebIdentity&Version=2011-06-15")
                .endsWith("&WebIdentityToken=a%20web%20token");
    }

    @Test
    void tellsWhyStsRefuses() {
        String answer =
                "<ErrorResponse><Error><Code>ExpiredTokenException</Code>"
                        + "<Message>${java.home}</Message></Error></ErrorResponse>";
        service.createContext("/sts", exchange -> send(exchange, 400, answer));

        assertThatThrownBy(() -> webIdentity().fetch())
                .hasMessage("127.0.0.1 answered ExpiredTokenException, ${java.home}");
    }

    /** MinIO's mapper has a parser of its own. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE a [<!ENTITY b \"AKIDSECRET\">]>",
                "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/hostname\">]>"
            })
    void takesNothingThatAnAnswerDefines(String type) {
        String answer = type + STS_ANSWER.replace("${java.home}", "k&b;");
        service.createContext("/sts", exchange -> send(exchange, 200, answer));

        assertThatThrownBy(() -> webIdentity().fetch()).isInstanceOf(ProviderException.class);
    }

    @ParameterizedTest
    @CsvSource({
        ", sts.amazonaws.com",
        "'eu-west-1\n', sts.eu-west-1.amazonaws.com",
        "cn-north-1, sts.cn-north-1.amazonaws.com.cn"
    })
    void asksStsOfTheRegion(String region, String host) throws Exception {
        HttpUrl sts =
                RoleProviders.sts(
                        name -> Optional.ofNullable(region).filter(r -> name.equals("AWS_REGION")));

        assertThat(sts).hasToString("https://" + host + "/");
    }
}
