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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dstl.bench.run.Measured.Sample;
import io.dstl.bench.run.Measured.Stretches;
import io.dstl.bench.run.MeasuredPhase.MeasuredFigure;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.rest.CheckpointStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuredTest {
    private static final int PER_SECOND = 1000;
    private final ObjectMapper json = new ObjectMapper();

    /** A hundred checkpoints, one a second, each a millisecond longer than the one before. */
    private final CheckpointStatistics all = statistics(100, 7, 2);

    @Test
    void onlyCheckpointsTriggeredInTheMeasuredTimeCount() throws Unfinished {
        Measured measured = measured(10, 30);
        assertThat(measured.completed()).isEqualTo(20);
        assertThat(measured.durationMillis(1)).isEqualTo(29);
        assertThat(measured.durationMillis(0.5)).isEqualTo(19);
        assertThat(measured.durationMillis(0.05)).isEqualTo(10);
    }

    @Test
    void ratesArePerSecondAndFailuresTheDifference() throws Unfinished {
        Measured measured = measured(0, 50);
        assertThat(measured.recordsPerSecond()).isEqualTo(100);
        assertThat(measured.cpu()).isEqualTo(0.5);
        assertThat(measured.failed()).isEqualTo(7);
        assertThat(measured.restarts()).isEqualTo(2);
    }

    /** As the tasks' counters begin anew: there would be -7,529 records a second. */
    @Test
    void whatTasksCountIsUnknownIfTheyWereStartedAnew() throws Unfinished {
        assertThat(figure("recordsPerSecond", measured(0, 50))).isEqualTo(MeasuredPhase.RESTARTED);
        assertThat(figure("taskManagerCpuPerMillionRecords", measured(0, 50)))
                .isEqualTo(MeasuredPhase.RESTARTED);
        assertThat(figure("restarts", measured(0, 50))).isEqualTo(2.0);
        assertThat(figure("durationMillis.p50", measured(0, 50))).isEqualTo(24.0);

        Measured undisturbed =
                Measured.between(
                        sample(0, all), sample(50, all), all.history, new Tally(List.of()));
        assertThat(figure("recordsPerSecond", undisturbed)).isEqualTo(100.0);
    }

    private static Object figure(String key, Measured measured) {
        return MeasuredFigure.all().stream()
                .filter(one -> one.quantity().key().equals(key))
                .findFirst()
                .orElseThrow()
                .of(measured)
                .plain();
    }

    @Test
    void aDurationIsTakenApartAtTheLogsRequests() throws Unfinished {
        // The one triggered at second 90 takes 90 ms; the one after it puts nothing.
        Tally requests =
                new Tally(
                        List.of(
                                request(RequestKind.HEAD, 90_010, 5),
                                request(RequestKind.PUT, 90_020, 40),
                                request(RequestKind.PUT, 90_030, 50),
                                request(RequestKind.DELETE, 91_001, 5)));
        Stretches stretches = measured(90, 92, requests).stretches();
        assertThat(stretches.toFirstRequest()).isEqualTo(10);
        assertThat(stretches.toLastPut()).isEqualTo(70);
        assertThat(stretches.toAcknowledgement()).isEqualTo(10);
    }

    private static ServedRequest request(RequestKind kind, long atMillis, long tookMillis) {
        return new ServedRequest(
                kind,
                "/bench/dstl/changelog/job/dstl/a",
                10,
                new Span(Instant.ofEpochMilli(atMillis), Duration.ofMillis(tookMillis)),
                200);
    }

    @Test
    void noCheckpointAtAllIsNoMeasurement() throws Unfinished {
        assertThatThrownBy(() -> measured(200, 210))
                .isInstanceOf(Unfinished.class)
                .hasMessageContaining("10 s");
    }

    private Measured measured(int fromSecond, int toSecond) throws Unfinished {
        return measured(fromSecond, toSecond, new Tally(List.of()));
    }

    private Measured measured(int fromSecond, int toSecond, Tally requests) throws Unfinished {
        return Measured.between(
                sample(fromSecond, statistics(0, 0, 0)),
                sample(toSecond, all),
                all.history,
                requests);
    }

    private static Sample sample(int second, CheckpointStatistics seen) {
        return new Sample(
                Instant.ofEpochSecond(second),
                seen,
                100L * second,
                Duration.ofMillis(500L * second));
    }

    private CheckpointStatistics statistics(int completed, int failed, int restored) {
        ObjectNode root = json.createObjectNode();
        root.putObject("counts")
                .put("completed", completed)
                .put("failed", failed)
                .put("restored", restored);
        ObjectNode summary = root.putObject("summary");
        for (String figure : List.of("end_to_end_duration", "checkpointed_size", "state_size")) {
            ObjectNode distribution = summary.putObject(figure);
            List.of("p50", "p90", "p99", "p999").forEach(name -> distribution.put(name, 0));
        }
        ArrayNode history = root.putArray("history");
        for (int i = 0; i < completed; i++) {
            history.addObject()
                    .put("id", i)
                    .put("status", "COMPLETED")
                    .put("trigger_timestamp", (long) i * PER_SECOND)
                    .put("end_to_end_duration", i)
                    .put("checkpointed_size", i)
                    .put("state_size", i)
                    .put("external_path", "s3://bench/chk-" + i);
        }
        return CheckpointStatistics.of(root);
    }
}
