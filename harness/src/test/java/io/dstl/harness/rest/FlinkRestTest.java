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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.dstl.harness.rest.CheckpointStatistics.CheckpointParts;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.rest.FlinkRest.RestFailure;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import io.dstl.harness.rest.JobSubmission.JarId;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests that Flink gets, and what is made of its answers. */
class FlinkRestTest {
    private static final JobId JOB = new JobId("0123456789abcdef0123456789abcdef");

    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private HttpServer server;
    private FlinkRest rest;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        rest = new FlinkRest(address, HttpClient.newHttpClient());
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void countsTheTaskManagers() throws Exception {
        answer("/overview", 200, "{\"taskmanagers\": 2, \"slots-total\": 4}");

        assertThat(rest.overviewIfUp().orElseThrow().taskManagers).isEqualTo(2);
        assertThat(rest.overviewIfUp().orElseThrow().slots).isEqualTo(4);
    }

    @Test
    void aJobManagerThatStartsIsNotUpYet() throws Exception {
        answer("/overview", 503, "{\"errors\": [\"starting\"]}");
        assertThat(rest.overviewIfUp()).isEmpty();

        server.stop(0);
        assertThat(rest.overviewIfUp()).isEmpty();
    }

    @Test
    void uploadsAJarAsAFormAndRunsIt(@TempDir Path directory) throws Exception {
        Path jar = Files.writeString(directory.resolve("job.jar"), "the jar");
        answer("/jars/upload", 200, "{\"filename\": \"/tmp/upload/7_job.jar\"}");
        answer("/jars/7_job.jar/run", 200, "{\"jobid\": \"" + JOB + "\"}");

        JarId uploaded = rest.upload(jar);
        JobSubmission fresh = JobSubmission.fresh("a.Main", List.of("--x", "1"), 4);

        assertThat(rest.run(uploaded, fresh)).isEqualTo(JOB);
        assertThat(requests.get(0))
                .startsWith("POST")
                .contains("name=\"jarfile\"; filename=\"job.jar\"")
                .contains("the jar");
        assertThat(requests.get(1))
                .contains("\"entryClass\":\"a.Main\"")
                .contains("\"programArgsList\":[\"--x\",\"1\"]")
                .contains("\"parallelism\":4")
                .doesNotContain("savepointPath");
    }

    @Test
    void namesTheCheckpointToStartFrom() throws Exception {
        answer("/jars/j/run", 200, "{\"jobid\": \"" + JOB + "\"}");

        rest.run(
                new JarId("j"),
                JobSubmission.fresh("a.Main", List.of(), 4)
                        .from("s3://b/chk-7", 3, ClaimMode.CLAIM));

        assertThat(requests.get(0))
                .contains("\"savepointPath\":\"s3://b/chk-7\"")
                .contains("\"claimMode\":\"CLAIM\"")
                .contains("\"parallelism\":3");
    }

    @Test
    void namesTheJobThatIsToRun() throws Exception {
        answer("/jars/j/run", 200, "{\"jobid\": \"" + JOB + "\"}");

        rest.run(new JarId("j"), JobSubmission.fresh("a.Main", List.of(), 4).as(JOB));

        assertThat(requests.get(0)).contains("\"jobId\":\"" + JOB + "\"");
    }

    @Test
    void asksForASavepointUntilItIsThere() throws Exception {
        answer("/jobs/" + JOB + "/savepoints", 202, "{\"request-id\": \"7\"}");
        answer("/jobs/" + JOB + "/savepoints/7", 200, "{\"status\": {\"id\": \"IN_PROGRESS\"}}");

        assertThat(rest.triggerSavepoint(JOB, "s3://b/savepoints")).isEqualTo("7");
        assertThat(rest.savepoint(JOB, "7")).isEmpty();
        assertThat(rest.savepointFailure(JOB, "7")).isEmpty();
        assertThat(requests.get(0)).contains("\"target-directory\":\"s3://b/savepoints\"");
    }

    @Test
    void aSavepointIsMadeOrItsFailureIsToldOf() throws Exception {
        String done = "{\"status\": {\"id\": \"COMPLETED\"}, \"operation\": ";
        answer("/jobs/" + JOB + "/savepoints/1", 200, done + "{\"location\": \"s3://b/s\"}}");
        answer("/jobs/" + JOB + "/savepoints/2", 200, done + "{\"failure-cause\": \"no room\"}}");

        assertThat(rest.savepoint(JOB, "1")).contains("s3://b/s");
        assertThat(rest.savepointFailure(JOB, "1")).isEmpty();
        assertThat(rest.savepointFailure(JOB, "2").orElseThrow()).contains("no room");
        assertThatThrownBy(() -> rest.savepoint(JOB, "2"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no room");
    }

    @Test
    void asksTheNextJobManagerAfterOneThatDoesNotAnswer() throws Exception {
        answer("/overview", 200, "{\"taskmanagers\": 2, \"slots-total\": 4}");
        URI alive = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        // Its port is taken, so that nobody else can be there, and refuses connections.
        try (Socket gone = new Socket()) {
            gone.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            URI dead = URI.create("http://127.0.0.1:" + gone.getLocalPort());
            FlinkRest both = new FlinkRest(List.of(dead, alive), HttpClient.newHttpClient());

            assertThat(both.overviewIfUp()).isEmpty();
            assertThat(both.overviewIfUp()).isPresent();
        }
    }

    @Test
    void cancels() throws Exception {
        answer("/jobs/" + JOB, 202, "{}");

        rest.cancel(JOB);

        assertThat(requests.get(0)).startsWith("PATCH /jobs/" + JOB + "?mode=cancel");
    }

    @Test
    void endsTheInput() throws Exception {
        answer("/jobs/" + JOB + "/stop", 202, "{\"request-id\": \"1\"}");

        assertThat(rest.drain(JOB, "NATIVE")).isEqualTo("1");

        assertThat(requests.get(0))
                .startsWith("POST /jobs/" + JOB + "/stop")
                .contains("\"drain\":true", "\"formatType\":\"NATIVE\"");
    }

    @Test
    void findsTheTaskThatTookLongestToStart() throws Exception {
        answerVertices();
        answer(
                "/jobs/" + JOB + "/vertices/v2",
                200,
                "{\"subtasks\": ["
                        + subtask("RUNNING", 2000, 30)
                        + ","
                        + subtask("RUNNING", 2001, 45)
                        + "]}");

        assertThat(rest.initializing(JOB, List.of("state"), Instant.ofEpochMilli(2000)))
                .contains(Duration.ofMillis(45));
        assertThat(rest.initializing(JOB, List.of("state"), Instant.ofEpochMilli(2001)))
                .as("one of them is still the task that ran before")
                .isEmpty();
        assertThatThrownBy(() -> rest.initializing(JOB, List.of("window"), Instant.EPOCH))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("window");
    }

    @Test
    void aTaskThatStartsHasNoTimeYet() throws Exception {
        answerVertices();
        answer(
                "/jobs/" + JOB + "/vertices/v2",
                200,
                "{\"subtasks\": ["
                        + subtask("RUNNING", 2000, 30)
                        + ","
                        + subtask("INITIALIZING", 2000, 45)
                        + "]}");

        assertThat(rest.initializing(JOB, List.of("state"), Instant.EPOCH)).isEmpty();
    }

    private static String subtask(String status, long started, long initializing) {
        return "{\"status\": \""
                + status
                + "\", \"start-time\": "
                + started
                + ", \"status-duration\": {\"INITIALIZING\": "
                + initializing
                + ", \"RUNNING\": 900}}";
    }

    @Test
    void readsWhatACheckpointsTimeWasSpentOn() throws Exception {
        answerVertices();
        answer(
                "/jobs/" + JOB + "/checkpoints/details/7/subtasks/v2",
                200,
                "{\"summary\": {\"start_delay\": {\"min\": 1, \"max\": 9},"
                        + " \"alignment\": {\"duration\": {\"min\": 0, \"max\": 2}},"
                        + " \"checkpoint_duration\": {\"sync\": {\"min\": 3, \"max\": 4},"
                        + " \"async\": {\"min\": 5, \"max\": 60}}}}");

        CheckpointParts parts = rest.parts(JOB, "state", List.of(checkpoint(7))).get(0);

        assertThat(parts.startDelay).isEqualTo(Duration.ofMillis(9));
        assertThat(parts.alignment).isEqualTo(Duration.ofMillis(2));
        assertThat(parts.sync).isEqualTo(Duration.ofMillis(4));
        assertThat(parts.async).isEqualTo(Duration.ofMillis(60));
    }

    private void answerVertices() {
        answer(
                "/jobs/" + JOB,
                200,
                "{\"vertices\": [{\"id\": \"v1\", \"name\": \"Source: a\"},"
                        + " {\"id\": \"v2\", \"name\": \"state -> b\"}]}");
    }

    private static CompletedCheckpoint checkpoint(long id) throws IOException {
        return CompletedCheckpoint.of(
                new ObjectMapper()
                        .readTree(
                                "{\"id\": "
                                        + id
                                        + ", \"trigger_timestamp\": 0, \"end_to_end_duration\": 1,"
                                        + " \"checkpointed_size\": 1, \"state_size\": 1,"
                                        + " \"external_path\": \"s3://b/chk\"}"));
    }

    @Test
    void readsHowTheTasksDo() throws Exception {
        answer(
                "/jobs/" + JOB,
                200,
                "{\"state\": \"RUNNING\", \"vertices\": ["
                        + vertex("Source: flights -> x", 2, 1, 1, 0)
                        + ","
                        + vertex("aircraft -> rows", 2, 1, 0, 77)
                        + "]}");

        JobStatus status = rest.status(JOB);

        assertThat(status.state()).isEqualTo("RUNNING");
        assertThat(status.allTasksAtWork()).as("one of four is not").isFalse();
        assertThat(status.recordsRead("aircraft")).isEqualTo(77);
        assertThat(status.finished()).isFalse();
    }

    @Test
    void findsTheSubtaskThatIsLeastFar() throws Exception {
        answer("/jobs/" + JOB, 200, "{\"vertices\": [{\"id\": \"v1\"}, {\"id\": \"v2\"}]}");
        answer(
                "/jobs/" + JOB + "/vertices/v1/subtasks/metrics",
                200,
                "[{\"id\": \"sum.Log.done\", \"min\": 3.0}, {\"id\": \"sum.other\", \"min\": 1}]");
        answer("/jobs/" + JOB + "/vertices/v2/subtasks/metrics", 200, "[]");

        assertThat(rest.smallest(JOB, "Log.done")).hasValue(1);
        assertThat(rest.smallest(JOB, "Log.failed")).isEmpty();
    }

    @Test
    void sumsAMetricUpOverAllOperatorsAndFindsItsLargestValue() throws Exception {
        String one = "[{\"id\": \"a.Log.size\", \"sum\": 5.0, \"max\": 4.0}]";
        String other = "[{\"id\": \"b.Log.size\", \"sum\": 7.0, \"max\": 7.0}]";
        answer("/jobs/" + JOB, 200, "{\"vertices\": [{\"id\": \"v1\"}, {\"id\": \"v2\"}]}");
        answer("/jobs/" + JOB + "/vertices/v1/subtasks/metrics", 200, one);
        answer("/jobs/" + JOB + "/vertices/v2/subtasks/metrics", 200, other);

        assertThat(rest.total(JOB, "Log.size")).isEqualTo(12);
        assertThat(rest.largest(JOB, "Log.size")).hasValue(7);
        assertThat(rest.total(JOB, "Log.age")).isZero();
        assertThat(rest.largest(JOB, "Log.age")).isEmpty();
    }

    @Test
    void readsSomeMetricsOfEachSubtaskAtOnce() throws Exception {
        String first =
                "[{\"id\": \"a.Log.size\", \"value\": \"5\"},"
                        + " {\"id\": \"a.Log.age\", \"value\": \"-1\"}]";
        String second =
                "[{\"id\": \"a.Log.age\", \"value\": \"3\"},"
                        + " {\"id\": \"a.Log.size\", \"value\": \"7\"},"
                        + " {\"id\": \"b.Log.size\", \"value\": \"8\"}]";
        answer("/jobs/" + JOB, 200, "{\"vertices\": [{\"id\": \"v\", \"parallelism\": 2}]}");
        answer("/jobs/" + JOB + "/vertices/v/subtasks/0/metrics", 200, first);
        answer("/jobs/" + JOB + "/vertices/v/subtasks/1/metrics", 200, second);

        assertThat(rest.bySubtask(JOB, List.of("Log.size", "Log.age")))
                .containsExactly(
                        Map.entry("v/subtasks/0/a.", List.of(5.0, -1.0)),
                        Map.entry("v/subtasks/1/a.", List.of(7.0, 3.0)));
        assertThat(requests.get(2)).contains("?get=a.Log.size%2Ca.Log.age");
    }

    @Test
    void aRefusalCarriesFlinksReason() {
        answer("/jobs/" + JOB + "/checkpoints", 404, "{\"errors\": [\"no such job\"]}");

        assertThatThrownBy(() -> rest.checkpoints(JOB))
                .isInstanceOf(RestFailure.class)
                .hasMessageContaining("was answered 404")
                .hasMessageContaining("no such job");
    }

    @Test
    void anAnswerWithoutAFieldNamesIt() {
        answer("/jobs/" + JOB, 200, "{\"vertices\": []}");

        assertThatThrownBy(() -> rest.status(JOB)).hasMessageContaining("'state'");
    }

    private static String vertex(
            String name, int parallelism, int running, int finished, long read) {
        return String.format(
                java.util.Locale.ROOT,
                "{\"name\": \"%s\", \"parallelism\": %d, \"tasks\": {\"RUNNING\": %d,"
                        + " \"FINISHED\": %d}, \"metrics\": {\"read-records\": %d}}",
                name,
                parallelism,
                running,
                finished,
                read);
    }

    private void answer(String path, int status, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        server.createContext(
                path,
                exchange -> {
                    String received =
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8);
                    requests.add(
                            exchange.getRequestMethod()
                                    + " "
                                    + exchange.getRequestURI()
                                    + "\n"
                                    + received);
                    exchange.sendResponseHeaders(status, bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
    }
}
