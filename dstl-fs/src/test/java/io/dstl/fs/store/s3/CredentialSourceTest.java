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
package io.dstl.fs.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.dstl.testkit.ManualTimer;
import io.minio.credentials.Credentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Credentials of a container's role, from an agent that knows each path with one slash only. */
class CredentialSourceTest {

    private static final String VARIABLE = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

    private static final String BEGIN = "2100-01-01T00:00:00Z";

    private final AtomicInteger asked = new AtomicInteger();
    private final ExecutorService requests = Executors.newSingleThreadExecutor();
    private HttpServer agent;

    @BeforeEach
    void startAgent() throws IOException {
        agent = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        agent.createContext("/", this::answer);
        agent.start();
        // MinIO's client reads a property where the environment has no variable of that name.
        System.setProperty(
                VARIABLE, "http://127.0.0.1:" + agent.getAddress().getPort() + "//v2/credentials");
    }

    @AfterEach
    void stop() {
        System.clearProperty(VARIABLE);
        agent.stop(0);
        requests.shutdown();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        if (path.contains("//")) {
            exchange.getResponseHeaders()
                    .set("Location", path.substring(path.lastIndexOf("//") + 1));
            exchange.sendResponseHeaders(301, -1);
        } else {
            byte[] body =
                    ("{\"AccessKeyId\":\"role-key-"
                                    + asked.incrementAndGet()
                                    + "\",\"SecretAccessKey\":\"role-secret\","
                                    + "\"Token\":\"role-token\","
                                    + "\"Expiration\":\"2100-01-01T01:00:00Z\"}")
                            .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private CredentialChain chain(ManualTimer timer) throws Exception {
        Configuration config = new Configuration();
        config.setString(
                "fs.s3a.aws.credentials.provider",
                "com.amazonaws.auth.EC2ContainerCredentialsProviderWrapper");
        S3Settings settings =
                S3Settings.from(config, S3FileSystemKind.HADOOP, name -> Optional.empty());
        OkHttpClient http = S3Access.forCredentials(S3Access.http(settings, requests));
        return settings.credentials()
                .chain(
                        http,
                        name -> Optional.empty(),
                        new CredentialChain.Sources(
                                () -> Instant.parse(BEGIN).plusNanos(timer.nanos()),
                                timer,
                                Runnable::run));
    }

    @Test
    void followsTheAgentsRedirect() throws Exception {
        Credentials found = chain(new ManualTimer()).fetch();

        assertThat(found.accessKey()).isEqualTo("role-key-1");
        assertThat(found.sessionToken()).isEqualTo("role-token");
    }

    /** MinIO's provider would keep them until ten seconds before their end. */
    @Test
    void asksTheAgentAnewBeforeTheEnd() throws Exception {
        ManualTimer timer = new ManualTimer();
        CredentialChain chain = chain(timer);
        chain.fetch();
        timer.advance(Duration.ofMinutes(55).minusMillis(1));
        assertThat(asked).hasValue(1);

        timer.advance(Duration.ofMillis(1));

        assertThat(asked).hasValue(2);
        assertThat(chain.fetch().accessKey()).isEqualTo("role-key-2");
    }
}
