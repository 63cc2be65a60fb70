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
package io.dstl.e2e.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.harness.net.FreePorts;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A Prometheus as a process of this machine, from a {@code prometheus} on the {@code PATH}. It asks
 * Flink's reporters each second.
 *
 * <p>Owns the process. Thread-safe: a shutdown hook may close it at any moment.
 */
public final class PrometheusServer implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final int OK = 200;

    private final ServerProcess process;
    private final URI address;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();

    private PrometheusServer(ServerProcess process, URI address) {
        this.process = process;
        this.address = address;
    }

    /**
     * The program.
     *
     * @throws IllegalArgumentException with the remedy, if there is none
     */
    public static Path binary(String pathVariable) {
        return ServerProcess.onPath("prometheus", pathVariable)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "--dashboard needs prometheus on the PATH, which is "
                                                + pathVariable
                                                + ": apt-get install prometheus"));
    }

    /**
     * Starts it, and waits until it answers.
     *
     * @param directory for its data and its log
     * @param targets ports of this machine that it asks for metrics
     */
    public static PrometheusServer start(
            Path binary, Path directory, List<Integer> targets, Await await)
            throws IOException, InterruptedException {
        Path data = Files.createDirectories(directory.toAbsolutePath().resolve("data"));
        Path configuration =
                Files.writeString(data.resolveSibling("prometheus.yaml"), configuration(targets));
        String listen = "127.0.0.1:" + FreePorts.of(data, 1).get(0);
        ServerProcess process =
                ServerProcess.start(
                        "prometheus",
                        List.of(
                                binary.toString(),
                                "--config.file=" + configuration,
                                "--storage.tsdb.path=" + data,
                                "--web.listen-address=" + listen),
                        Map.of(),
                        data.resolveSibling("prometheus.out"));
        PrometheusServer server = new PrometheusServer(process, URI.create("http://" + listen));
        process.awaitUp(await, "Prometheus on " + listen, START_LIMIT, server::ready);
        return server;
    }

    private static String configuration(List<Integer> targets) {
        return "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
                + "scrape_configs:\n"
                + "  - job_name: flink\n"
                + "    static_configs:\n"
                + "      - targets: ["
                + targets.stream()
                        .map(port -> "'127.0.0.1:" + port + "'")
                        .collect(Collectors.joining(", "))
                + "]\n";
    }

    /** The series of an expression, with a value each {@code step} where there is one. */
    public List<Series> query(String expression, Instant start, Instant end, Duration step)
            throws IOException, InterruptedException {
        HttpResponse<String> answer =
                http.send(
                        HttpRequest.newBuilder(
                                        address.resolve(
                                                "/api/v1/query_range?query="
                                                        + URLEncoder.encode(
                                                                expression, StandardCharsets.UTF_8)
                                                        + "&start="
                                                        + start
                                                        + "&end="
                                                        + end
                                                        + "&step="
                                                        + step.toMillis() / 1000.0))
                                .build(),
                        BodyHandlers.ofString());
        if (answer.statusCode() != OK) {
            throw new IOException("Prometheus answers " + expression + " by: " + answer.body());
        }
        List<Series> series = new ArrayList<>();
        for (JsonNode one : json.readTree(answer.body()).path("data").path("result")) {
            series.add(Series.of(one));
        }
        return series;
    }

    private Optional<URI> ready() throws IOException, InterruptedException {
        try {
            HttpRequest question = HttpRequest.newBuilder(address.resolve("/-/ready")).build();
            int status = http.send(question, BodyHandlers.discarding()).statusCode();
            return status == OK ? Optional.of(address) : Optional.empty();
        } catch (ConnectException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
