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

import io.dstl.store.s3.config.S3FileSystemKind;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that asks its clients for a certificate. */
class OwnCertificateTest {

    private final ExecutorService requests = Executors.newCachedThreadPool();
    private TlsServer store;

    @BeforeEach
    void startAStoreThatKnowsTheJvmsCertificate(@TempDir Path directory) throws Exception {
        store =
                new TlsServer(
                        directory,
                        true,
                        exchange -> {
                            exchange.sendResponseHeaders(204, -1);
                            exchange.close();
                        });
    }

    @AfterEach
    void stop() {
        store.close();
        requests.shutdownNow();
    }

    @Test
    void isShownIfTheJvmHasOne() throws Exception {
        assertThat(answer(new GivenEnvironment().withProperty("javax.net.ssl.keyStore", "/own")))
                .isEqualTo(204);
    }

    private int answer(GivenEnvironment environment) throws Exception {
        Configuration config = new Configuration();
        config.setString("s3.endpoint", store.endpoint());
        config.setString("s3.access-key", "key");
        config.setString("s3.secret-key", "secret");
        OkHttpClient http =
                S3Access.http(
                        S3Settings.from(config, S3FileSystemKind.PRESTO, environment), requests);
        try (Response answer =
                http.newCall(new Request.Builder().url(store.endpoint()).build()).execute()) {
            return answer.code();
        } finally {
            http.connectionPool().evictAll();
        }
    }
}
