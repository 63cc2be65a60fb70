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
package io.dstl.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.rest.JobStatus;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that is to end is asked again where Flink let it go on. */
class DrainTest {
    private static final JobId JOB = new JobId("0123456789abcdef0123456789abcdef");
    private static final String JOB_PATH = "/jobs/" + JOB;

    private final Map<String, String> answers = Collections.synchronizedMap(new HashMap<>());
    private final List<String> posted = Collections.synchronizedList(new ArrayList<>());
    private final List<String> said = new ArrayList<>();
    private HttpServer server;
    private Drain drain;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    String path = exchange.getRequestURI().getPath();
                    if (exchange.getRequestMethod().equals("POST")) {
                        posted.add(path);
                    }
                    byte[] answer = answers.get(path).getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        server.start();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        FlinkRest rest = new FlinkRest(address, HttpClient.newHttpClient());
        drain = new Drain(rest, JOB, "NATIVE", said::add);
        jobIs("RUNNING");
        answers.put(JOB_PATH + "/stop", "{\"request-id\": \"1\"}");
        answers.put(JOB_PATH + "/savepoints/1", "{\"status\": {\"id\": \"IN_PROGRESS\"}}");
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void asksOnceWhileTheSavepointIsMade() throws Exception {
        assertThat(drain.ended()).isEmpty();
        assertThat(drain.ended()).isEmpty();
        assertThat(drain.ended()).isEmpty();
        assertThat(posted).containsExactly(JOB_PATH + "/stop");
        assertThat(drain.seen()).isEqualTo("the job was RUNNING, a savepoint was in the making");

        savepointIs("{\"location\": \"s3://b/s\"}");
        assertThat(drain.ended()).isEmpty();
        jobIs("FINISHED");
        assertThat(drain.ended().map(JobStatus::finished)).contains(true);
        assertThat(posted).hasSize(1);
        assertThat(said).isEmpty();
    }

    @Test
    void asksAgainWhenTheSavepointFailedAndSaysWhyOnce() throws Exception {
        assertThat(drain.ended()).isEmpty();
        savepointIs("{\"failure-cause\": \"no room\"}");

        assertThat(drain.ended()).isEmpty();
        assertThat(drain.seen()).contains("no savepoint").contains("no room");
        assertThat(drain.ended()).isEmpty();
        assertThat(posted).hasSize(2);
        assertThat(drain.ended()).isEmpty();
        assertThat(said).singleElement().asString().contains("no room");
    }

    @Test
    void aJobThatFailedHasEnded() throws Exception {
        jobIs("FAILED");

        assertThat(drain.ended().map(JobStatus::failed)).contains(true);
        assertThat(posted).isEmpty();
    }

    private void jobIs(String state) {
        answers.put(JOB_PATH, "{\"state\": \"" + state + "\", \"vertices\": []}");
    }

    private void savepointIs(String operation) {
        answers.put(
                JOB_PATH + "/savepoints/1",
                "{\"status\": {\"id\": \"COMPLETED\"}, \"operation\": " + operation + "}");
    }
}
