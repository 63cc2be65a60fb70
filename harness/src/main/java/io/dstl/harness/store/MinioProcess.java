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
package io.dstl.harness.store;

import io.dstl.harness.net.FreePorts;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** MinIO as a process of this machine, from a {@code minio} on the {@code PATH}. */
final class MinioProcess implements S3Store {
    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    private final ServerProcess process;
    private final String version;
    private final URI endpoint;

    MinioProcess(Path binary, Path directory, Await await)
            throws IOException, InterruptedException {
        version = version(binary);
        Path data = Files.createDirectories(directory.toAbsolutePath().resolve("data"));
        String address = "127.0.0.1:" + FreePorts.of(data, 1).get(0);
        endpoint = URI.create("http://" + address);
        process =
                ServerProcess.start(
                        "minio",
                        List.of(binary.toString(), "server", "--address", address, data.toString()),
                        Map.of(
                                "MINIO_ROOT_USER", ACCESS_KEY,
                                "MINIO_ROOT_PASSWORD", SECRET_KEY),
                        data.resolveSibling("minio.out"));
        process.awaitUp(await, "MinIO on " + endpoint, START_LIMIT, this::ready);
    }

    @Override
    public URI endpoint() {
        return endpoint;
    }

    @Override
    public String description() {
        return "MinIO process " + version;
    }

    /** As it says itself, with the digest of its file: a build from source says nothing. */
    static String version(Path binary) throws IOException {
        Process asked =
                new ProcessBuilder(binary.toString(), "--version")
                        .redirectErrorStream(true)
                        .start();
        String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try (InputStream file = Files.newInputStream(binary)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new DigestInputStream(file, digest).transferTo(OutputStream.nullOutputStream());
            return String.format(
                    Locale.ROOT,
                    "%s (sha256:%064x)",
                    said.lines().findFirst().orElse(binary.toString()),
                    new BigInteger(1, digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }

    private Optional<URI> ready() throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection)
                        endpoint.resolve("/minio/health/ready").toURL().openConnection();
        try {
            boolean up = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
            return up ? Optional.of(endpoint) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } finally {
            connection.disconnect();
        }
    }
}
