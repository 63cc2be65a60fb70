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

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.dstl.store.s3.config.S3FileSystemKind;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
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

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final ExecutorService requests = Executors.newCachedThreadPool();
    private SSLContext before;
    private HttpsServer store;

    @BeforeEach
    void startAStoreThatKnowsTheJvmsCertificate(@TempDir Path directory) throws Exception {
        before = SSLContext.getDefault();
        SSLContext own = context(directory.resolve("own.p12"));
        SSLContext.setDefault(own);
        store = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        store.setHttpsConfigurator(
                new HttpsConfigurator(own) {
                    @Override
                    public void configure(HttpsParameters connection) {
                        SSLParameters parameters = own.getDefaultSSLParameters();
                        parameters.setNeedClientAuth(true);
                        connection.setSSLParameters(parameters);
                    }
                });
        store.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                });
        store.start();
    }

    @AfterEach
    void stop() {
        SSLContext.setDefault(before);
        store.stop(0);
        requests.shutdownNow();
    }

    @Test
    void isShownIfTheJvmHasOne() throws Exception {
        assertThat(answer(new GivenEnvironment().withProperty("javax.net.ssl.keyStore", "/own")))
                .isEqualTo(204);
    }

    private int answer(GivenEnvironment environment) throws Exception {
        Configuration config = new Configuration();
        config.setString("s3.endpoint", "https://127.0.0.1:" + store.getAddress().getPort());
        config.setString("s3.access-key", "key");
        config.setString("s3.secret-key", "secret");
        OkHttpClient http =
                S3Access.http(
                        S3Settings.from(config, S3FileSystemKind.PRESTO, environment), requests);
        try (Response answer =
                http.newCall(new Request.Builder().url(store(config)).build()).execute()) {
            return answer.code();
        } finally {
            http.connectionPool().evictAll();
        }
    }

    private static String store(Configuration config) {
        return config.toMap().get("s3.endpoint");
    }

    /** Both sides have the same certificate, and trust it. */
    private static SSLContext context(Path file) throws Exception {
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "own",
                                "-keyalg",
                                "EC",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                new String(PASSWORD),
                                "-dname",
                                "CN=localhost",
                                "-ext",
                                "san=ip:127.0.0.1")
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore own = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            own.load(in, PASSWORD);
        }
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("own", own.getCertificate("own"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
