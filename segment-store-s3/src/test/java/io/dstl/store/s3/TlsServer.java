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

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

/** A server with TLS in this JVM. While it is open, the JVM trusts it and has a certificate. */
final class TlsServer implements AutoCloseable {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final SSLContext before;
    private final HttpsServer server;

    /**
     * @param asks for the clients' certificate
     */
    TlsServer(Path directory, boolean asks, HttpHandler handler) throws Exception {
        before = SSLContext.getDefault();
        SSLContext own = context(directory.resolve("own.p12"));
        SSLContext.setDefault(own);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(
                new HttpsConfigurator(own) {
                    @Override
                    public void configure(HttpsParameters connection) {
                        SSLParameters parameters = own.getDefaultSSLParameters();
                        parameters.setNeedClientAuth(asks);
                        connection.setSSLParameters(parameters);
                    }
                });
        server.createContext("/", handler);
        server.start();
    }

    String endpoint() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        SSLContext.setDefault(before);
        server.stop(0);
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
