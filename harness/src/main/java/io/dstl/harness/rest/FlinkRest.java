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
package io.dstl.harness.rest;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.harness.rest.CheckpointStatistics.CheckpointParts;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.rest.JobSubmission.JarId;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;

/**
 * Flink's REST API, as far as a run needs it. Thread-safe; each call blocks for its answer.
 *
 * <p>With several JobManagers any of them answers for the leader. A call that one of them does not
 * answer, or answers with an error of its own, fails, and the next call asks the next one.
 *
 * <p>Knows requests and answers; waiting for a job to get somewhere is the caller's.
 */
public final class FlinkRest {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

    /** The JobManager builds the job's graph, beside other work. */
    private static final Duration SUBMISSION_LIMIT = Duration.ofMinutes(5);

    private static final int NOT_FOUND = 404;
    private static final int UNAVAILABLE = 503;
    private static final int MAX_CAUSE = 1_000;
    private static final String BOUNDARY = "dstl-e2e-part";

    private final List<URI> addresses;
    private final AtomicInteger turn = new AtomicInteger();
    private final HttpClient http;
    private final ObjectMapper json = new ObjectMapper();

    public FlinkRest(URI address, HttpClient http) {
        this(List.of(address), http);
    }

    /**
     * @param addresses of all JobManagers, at least one
     */
    public FlinkRest(List<URI> addresses, HttpClient http) {
        this.addresses = List.copyOf(addresses);
        this.http = http;
    }

    /** The TaskManagers, or empty while the JobManager does not answer yet. */
    public Optional<ClusterOverview> overviewIfUp() throws IOException, InterruptedException {
        try {
            return Optional.of(ClusterOverview.of(get("/overview")));
        } catch (ConnectException | HttpTimeoutException e) {
            return Optional.empty();
        } catch (RestFailure e) {
            if (e.status() == NOT_FOUND || e.status() == UNAVAILABLE) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public JarId upload(Path jar) throws IOException, InterruptedException {
        HttpRequest request =
                request("/jars/upload")
                        .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
                        .POST(BodyPublishers.ofByteArray(multipart(jar)))
                        .build();
        String stored = required(send(request), "filename").textValue();
        return new JarId(stored.substring(stored.lastIndexOf('/') + 1));
    }

    public JobId run(JarId jar, JobSubmission submission) throws IOException, InterruptedException {
        JsonNode answer = post("/jars/" + jar + "/run", submission.body(), SUBMISSION_LIMIT);
        return new JobId(required(answer, "jobid").textValue());
    }

    public JobStatus status(JobId job) throws IOException, InterruptedException {
        return JobStatus.of(get("/jobs/" + job));
    }

    public CheckpointStatistics checkpoints(JobId job) throws IOException, InterruptedException {
        return CheckpointStatistics.of(get("/jobs/" + job + "/checkpoints"));
    }

    /**
     * The smallest value that a subtask reports for a metric whose id ends like that, over all
     * operators that have it; empty while none does.
     */
    public OptionalDouble smallest(JobId job, String metric)
            throws IOException, InterruptedException {
        return aggregated(job, metric, "min").min();
    }

    /** The largest one, the same way. */
    public OptionalDouble largest(JobId job, String metric)
            throws IOException, InterruptedException {
        return aggregated(job, metric, "max").max();
    }

    /** The sum over all subtasks of all operators that have the metric; 0 where none does. */
    public double total(JobId job, String metric) throws IOException, InterruptedException {
        return aggregated(job, metric, "sum").sum();
    }

    /** What Flink makes of a metric's values, one number for each operator that has it. */
    private DoubleStream aggregated(JobId job, String metric, String how)
            throws IOException, InterruptedException {
        DoubleStream.Builder values = DoubleStream.builder();
        for (JsonNode vertex : required(get("/jobs/" + job), "vertices")) {
            String metrics =
                    "/jobs/"
                            + job
                            + "/vertices/"
                            + required(vertex, "id").textValue()
                            + "/subtasks/metrics";
            for (String id : get(metrics).findValuesAsText("id")) {
                if (id.endsWith(metric)) {
                    for (JsonNode aggregate :
                            get(
                                    metrics
                                            + "?agg="
                                            + how
                                            + "&get="
                                            + URLEncoder.encode(id, StandardCharsets.UTF_8))) {
                        values.add(required(aggregate, how).doubleValue());
                    }
                }
            }
        }
        return values.build();
    }

    /**
     * What each operator of each subtask reports for some metrics, in their order, by a name of its
     * own. The values of one are of one report of its TaskManager. An operator without one of the
     * metrics is left out.
     *
     * @param metrics what the ids of the metrics are behind the operator's name
     */
    public Map<String, List<Double>> bySubtask(JobId job, List<String> metrics)
            throws IOException, InterruptedException {
        Map<String, List<Double>> all = new LinkedHashMap<>();
        for (JsonNode vertex : required(get("/jobs/" + job), "vertices")) {
            for (int i = 0; i < required(vertex, "parallelism").intValue(); i++) {
                String subtask = required(vertex, "id").textValue() + "/subtasks/" + i;
                String path = "/jobs/" + job + "/vertices/" + subtask + "/metrics";
                for (String id : get(path).findValuesAsText("id")) {
                    if (id.endsWith(metrics.get(0))) {
                        String operator = id.substring(0, id.length() - metrics.get(0).length());
                        values(path, operator, metrics)
                                .ifPresent(values -> all.put(subtask + "/" + operator, values));
                    }
                }
            }
        }
        return all;
    }

    private Optional<List<Double>> values(String path, String operator, List<String> metrics)
            throws IOException, InterruptedException {
        String ids = metrics.stream().map(operator::concat).collect(joining(","));
        Map<String, Double> values = new HashMap<>();
        for (JsonNode one : get(path + "?get=" + URLEncoder.encode(ids, StandardCharsets.UTF_8))) {
            String id = required(one, "id").textValue();
            if (id.startsWith(operator)) {
                values.put(
                        id.substring(operator.length()),
                        Double.valueOf(required(one, "value").textValue()));
            }
        }
        return values.keySet().containsAll(metrics)
                ? Optional.of(metrics.stream().map(values::get).collect(toList()))
                : Optional.empty();
    }

    /** Why the job last failed, or empty when it never did. */
    public Optional<String> rootException(JobId job) throws IOException, InterruptedException {
        JsonNode entries =
                get("/jobs/" + job + "/exceptions").path("exceptionHistory").path("entries");
        return entries.isEmpty()
                ? Optional.empty()
                : Optional.of(required(entries.get(0), "stacktrace").textValue());
    }

    /** Asks for the job to be cancelled; returns before it is. */
    public void cancel(JobId job) throws IOException, InterruptedException {
        send(
                request("/jobs/" + job + "?mode=cancel")
                        .method("PATCH", BodyPublishers.noBody())
                        .build());
    }

    /**
     * Asks for the end of the job's input, and a savepoint when all of it is processed; returns
     * before that, with the name to ask for the savepoint by. It goes to where the cluster's
     * configuration says.
     *
     * @param format of the savepoint, as Flink names it: CANONICAL or NATIVE
     */
    public String drain(JobId job, String format) throws IOException, InterruptedException {
        JsonNode answer =
                post("/jobs/" + job + "/stop", Map.of("drain", true, "formatType", format));
        return required(answer, "request-id").textValue();
    }

    /**
     * How long the slowest subtask of some vertices was INITIALIZING; empty until each subtask has
     * been started at or after that moment and works. Flink answers from a picture of the job that
     * may be seconds old: without the moment this would tell of the start before.
     *
     * @param operators what the names of the vertices begin with
     */
    public Optional<Duration> initializing(JobId job, List<String> operators, Instant startedFrom)
            throws IOException, InterruptedException {
        long longest = 0;
        for (String vertex : vertices(job, operators)) {
            JsonNode details = get("/jobs/" + job + "/vertices/" + vertex);
            for (JsonNode subtask : required(details, "subtasks")) {
                long started = required(subtask, "start-time").longValue();
                if (!required(subtask, "status").textValue().equals("RUNNING")
                        || started < startedFrom.toEpochMilli()) {
                    return Optional.empty();
                }
                JsonNode spent = required(subtask, "status-duration");
                longest = Math.max(longest, spent.path("INITIALIZING").asLong());
            }
        }
        return Optional.of(Duration.ofMillis(longest));
    }

    /**
     * What the time of those checkpoints was spent on, at the first vertex whose name begins like
     * that. Each must be among those that the job still knows.
     */
    public List<CheckpointParts> parts(
            JobId job, String operator, List<CompletedCheckpoint> checkpoints)
            throws IOException, InterruptedException {
        String vertex = vertices(job, List.of(operator)).get(0);
        List<CheckpointParts> parts = new ArrayList<>();
        for (CompletedCheckpoint checkpoint : checkpoints) {
            String details = "/jobs/" + job + "/checkpoints/details/" + checkpoint.id;
            parts.add(CheckpointParts.of(get(details + "/subtasks/" + vertex)));
        }
        return parts;
    }

    private List<String> vertices(JobId job, List<String> operators)
            throws IOException, InterruptedException {
        List<String> vertices = new ArrayList<>();
        for (JsonNode vertex : required(get("/jobs/" + job), "vertices")) {
            String name = required(vertex, "name").textValue();
            if (operators.stream().anyMatch(name::startsWith)) {
                vertices.add(required(vertex, "id").textValue());
            }
        }
        if (vertices.isEmpty()) {
            throw new IllegalArgumentException("job " + job + " has no operator " + operators);
        }
        return vertices;
    }

    /**
     * Asks for a savepoint below that directory; returns before it is made, with the name to ask
     * for it by.
     */
    public String triggerSavepoint(JobId job, String directory)
            throws IOException, InterruptedException {
        JsonNode answer =
                post(
                        "/jobs/" + job + "/savepoints",
                        Map.of("target-directory", directory, "cancel-job", false));
        return required(answer, "request-id").textValue();
    }

    /**
     * Where that savepoint is; empty while it is being made.
     *
     * @throws IOException when it could not be made, or a JobManager that has since become the
     *     leader does not know of it
     */
    public Optional<String> savepoint(JobId job, String trigger)
            throws IOException, InterruptedException {
        Optional<JsonNode> operation = operation(job, trigger);
        if (operation.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> failure = failure(operation.get());
        if (failure.isPresent()) {
            throw new IOException("no savepoint of job " + job + " was made: " + failure.get());
        }
        return Optional.of(operation.get().path("location").textValue());
    }

    /** Why that savepoint could not be made; empty while it is being made, and when it is there. */
    public Optional<String> savepointFailure(JobId job, String trigger)
            throws IOException, InterruptedException {
        return operation(job, trigger).flatMap(this::failure);
    }

    /** What has become of a savepoint; empty while it is being made. */
    private Optional<JsonNode> operation(JobId job, String trigger)
            throws IOException, InterruptedException {
        JsonNode answer = get("/jobs/" + job + "/savepoints/" + trigger);
        if (required(required(answer, "status"), "id").textValue().equals("IN_PROGRESS")) {
            return Optional.empty();
        }
        return Optional.of(required(answer, "operation"));
    }

    private Optional<String> failure(JsonNode operation) {
        if (operation.path("location").isTextual()) {
            return Optional.empty();
        }
        String cause = operation.path("failure-cause").toString();
        return Optional.of(readable(cause.substring(0, Math.min(MAX_CAUSE, cause.length()))));
    }

    /** The field of an answer; one that is not there is an error that names it. */
    static JsonNode required(JsonNode node, String field) {
        JsonNode value = node.get(field);
        if (value == null || value.isNull()) {
            throw new IllegalStateException("the answer of Flink has no '" + field + "': " + node);
        }
        return value;
    }

    private JsonNode post(String path, Map<String, Object> body)
            throws IOException, InterruptedException {
        return post(path, body, ANSWER_LIMIT);
    }

    private JsonNode post(String path, Map<String, Object> body, Duration limit)
            throws IOException, InterruptedException {
        return send(
                request(path)
                        .timeout(limit)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))
                        .build());
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        return send(request(path).GET().build());
    }

    private HttpRequest.Builder request(String path) {
        URI address = addresses.get(Math.floorMod(turn.get(), addresses.size()));
        return HttpRequest.newBuilder(address.resolve(path)).timeout(ANSWER_LIMIT);
    }

    private JsonNode send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response;
        try {
            response = http.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            turn.incrementAndGet();
            throw e;
        }
        if (response.statusCode() / 100 == 5) {
            turn.incrementAndGet();
        }
        if (response.statusCode() / 100 != 2) {
            throw new RestFailure(
                    request.method() + " " + request.uri(),
                    response.statusCode(),
                    readable(response.body()));
        }
        return json.readTree(response.body());
    }

    private String readable(String body) {
        return body.replace("\\n", System.lineSeparator()).replace("\\t", "  ");
    }

    private static byte[] multipart(Path jar) throws IOException {
        String head =
                "--"
                        + BOUNDARY
                        + "\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\""
                        + jar.getFileName()
                        + "\"\r\nContent-Type: application/x-java-archive\r\n\r\n";
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(head.getBytes(StandardCharsets.UTF_8));
        body.write(Files.readAllBytes(jar));
        body.write(("\r\n--" + BOUNDARY + "--\r\n").getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }

    /** What {@code /overview} says of the TaskManagers. */
    public static final class ClusterOverview {
        /** Those that have registered. */
        public final int taskManagers;

        public final int slots;

        private ClusterOverview(int taskManagers, int slots) {
            this.taskManagers = taskManagers;
            this.slots = slots;
        }

        static ClusterOverview of(JsonNode json) {
            return new ClusterOverview(
                    required(json, "taskmanagers").intValue(),
                    required(json, "slots-total").intValue());
        }
    }

    /** Flink answered, and the answer is no. */
    public static final class RestFailure extends IOException {
        private final int status;

        RestFailure(String request, int status, String body) {
            super(String.format(Locale.ROOT, "%s was answered %d: %s", request, status, body));
            this.status = status;
        }

        /** The HTTP status. */
        public int status() {
            return status;
        }
    }
}
