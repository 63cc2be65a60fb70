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
package io.dstl.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.chaos.JobManagerEvent.Kind;
import io.dstl.e2e.chaos.RestartCause.Restart;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobHistoryTest {
    private static final JobId JOB = new JobId("0123456789abcdef0123456789abcdef");
    private static final String COORDINATOR =
            "INFO  o.a.f.r.checkpoint.CheckpointCoordinator [] - ";
    private static final String REST = "INFO  o.a.f.r.dispatcher.DispatcherRestEndpoint [] - ";
    private static final String GRAPH = "INFO  o.a.f.r.executiongraph.ExecutionGraph [] - ";

    private final JobHistory history = new JobHistory();
    @TempDir Path directory;
    private Path first;
    private Path second;

    @BeforeEach
    void logs() {
        first = directory.resolve("jobmanager-1.log");
        second = directory.resolve("jobmanager-2.log");
    }

    @Test
    void checkpointsCountFromTheMomentThatTheyWereTriggered() throws IOException {
        log(first, "00:00:01,000", COORDINATOR + triggering(1, "2026-01-01T00:00:01Z"));
        log(first, "00:00:02,000", COORDINATOR + triggering(2, "2026-01-01T00:00:02Z"));
        log(first, "00:00:03,000", COORDINATOR + completed(1));
        log(first, "00:00:03,000", COORDINATOR + completed(2));
        read();
        assertThat(history.completed()).isEqualTo(2);
        assertThat(history.completedSince(JOB, Instant.parse("2026-01-01T00:00:01Z"))).isEqualTo(1);
    }

    @Test
    void aLogIsReadOnAsItGrowsByWholeLines() throws IOException {
        write(first, "2026-01-01 00:00:03,000 " + COORDINATOR + "Completed check");
        read();
        assertThat(history.completed()).isZero();
        write(first, "point 1 for job " + JOB + " (9 bytes)\n");
        read();
        read();
        assertThat(history.completed()).isEqualTo(1);
    }

    @Test
    void whoWasToldToLeadLeadsUntilItIsToldOtherwise() throws IOException {
        log(first, "00:00:01,000", REST + "http://127.0.0.1:1 was granted leadership with x");
        log(second, "00:00:02,000", REST + "http://127.0.0.1:2 was granted leadership with y");
        read();
        assertThat(history.leaders()).containsExactly(first, second);
        assertThat(history.leader()).contains(second);

        log(first, "00:00:03,000", REST + "http://127.0.0.1:1 lost leadership");
        read();
        assertThat(history.leaders()).containsExactly(second);

        log(first, "00:00:04,000", REST + "http://127.0.0.1:1 was granted leadership with z");
        read();
        assertThat(history.leaders()).containsExactly(second, first);
    }

    @Test
    void aRestartHasTheLastFailureAsItsReason() throws IOException {
        log(
                first,
                "00:00:01,000",
                GRAPH + "map (1/2) (x) switched from RUNNING to FAILED on tm-1.");
        write(first, "java.io.IOException: no segment\n\tat Some.where(Some.java:1)\n");
        write(first, "Caused by: java.io.EOFException\n");
        log(first, "00:00:01,001", state("RUNNING", "RESTARTING"));
        read();
        assertThat(history.restarts()).hasSize(1);
        Restart restart = history.restarts().get(0);
        assertThat(restart.at).isEqualTo(Instant.parse("2026-01-01T00:00:01.001Z"));
        assertThat(restart.reason)
                .contains("FAILED on tm-1", "no segment", "EOFException")
                .doesNotContain("Some.java");
    }

    @Test
    void theReasonIsTheFirstFailureSinceTheJobWasWell() throws IOException {
        log(
                first,
                "00:00:01,000",
                GRAPH + "map (1/2) (x) switched from RUNNING to FAILED on tm-1.");
        log(
                first,
                "00:00:01,001",
                GRAPH + "map (2/2) (x) switched from RUNNING to FAILED on tm-2.");
        log(first, "00:00:01,002", state("RUNNING", "RESTARTING"));
        log(first, "00:00:02,000", state("RESTARTING", "RUNNING"));
        log(
                first,
                "00:00:03,000",
                GRAPH + "map (2/2) (x) switched from RUNNING to FAILED on tm-3.");
        log(first, "00:00:03,001", state("RUNNING", "RESTARTING"));
        read();
        assertThat(history.restarts().get(0).reason).contains("tm-1").doesNotContain("tm-2");
        assertThat(history.restarts().get(1).reason).contains("tm-3").doesNotContain("tm-1");
    }

    @Test
    void aJobThatIsTakenOverIsRestartedAndOneThatIsNewIsNot() throws IOException {
        log(first, "00:00:01,000", state("CREATED", "RUNNING"));
        read();
        assertThat(history.restarts()).isEmpty();
        log(second, "00:00:09,000", state("CREATED", "RUNNING"));
        read();
        assertThat(history.restarts()).hasSize(1);
        assertThat(history.restarts().get(0).leaderChanged).isTrue();
        assertThat(history.count(JOB, Kind.STARTED)).isEqualTo(2);
    }

    @Test
    void aJobIsGoneOnceItsGraphIsAndNotWhenALeaderCallsItCancelled() throws IOException {
        log(first, "00:00:01,000", state("CANCELLING", "CANCELED"));
        read();
        assertThat(history.count(JOB, JobManagerEvent.Kind.REMOVED)).isZero();
        log(
                second,
                "00:00:02,000",
                "INFO  o.a.f.r.jobmanager.DefaultJobGraphStore [] - Removed job graph "
                        + JOB
                        + " from ZooKeeperStateHandleStore{namespace='flink/chaos/jobgraphs'}.");
        read();
        assertThat(history.count(JOB, JobManagerEvent.Kind.REMOVED)).isEqualTo(1);
    }

    @Test
    void theLeaderIsWhoWasGrantedItLast() throws IOException {
        String endpoint = "INFO  o.a.f.r.dispatcher.DispatcherRestEndpoint [] - http://localhost:1";
        log(first, "00:00:01,000", endpoint + " was granted leadership with leaderSessionID=x");
        read();
        assertThat(history.leader()).contains(first);
        log(second, "00:00:02,000", endpoint + " was granted leadership with leaderSessionID=y");
        read();
        assertThat(history.leader()).contains(second);
    }

    @Test
    void aCommitInDoubtIsKnownByItsPath() throws IOException {
        log(
                first,
                "00:00:01,000",
                "WARN  o.a.f.r.checkpoint.CheckpointCoordinator [] - An error occurred while"
                        + " writing checkpoint 4 to the underlying metadata store. Flink was not able"
                        + " to determine whether the metadata was successfully persisted. The"
                        + " corresponding state located at 's3://dstl/chk-4' won't be discarded and");
        read();
        assertThat(history.inDoubt()).containsExactly("s3://dstl/chk-4");
    }

    /** The newest in the bucket may be one that a dead leader has not completed. */
    @Test
    void aJobGoesOnFromWhatALeaderHasCompletedOrRestoredLast() throws IOException {
        assertThat(history.checkpointsOf(JOB).last()).isEmpty();
        String savepoint = "s3://dstl/chaos/savepoints/savepoint-1";
        log(first, "00:00:01,000", COORDINATOR + restoring("Savepoint 7", savepoint));
        read();
        assertThat(history.checkpointsOf(JOB).last()).contains(savepoint);
        log(first, "00:00:02,000", COORDINATOR + completed(8));
        read();
        assertThat(history.checkpointsOf(JOB).last()).contains(checkpoint(8));
        log(second, "00:00:04,000", COORDINATOR + restoring("Checkpoint 9", checkpoint(9)));
        read();
        assertThat(history.checkpointsOf(JOB).last()).contains(checkpoint(9));
        // Read later, written before.
        log(first, "00:00:03,000", COORDINATOR + completed(10));
        read();
        assertThat(history.checkpointsOf(JOB).last()).contains(checkpoint(9));
    }

    @Test
    void aSavepointIsNoneOfTheCheckpointsThatAJobGoesOnFrom() throws IOException {
        log(first, "00:00:01,000", COORDINATOR + completed(1));
        log(
                first,
                "00:00:02,000",
                COORDINATOR
                        + triggering(2, "2026-01-01T00:00:02Z")
                                .replace(
                                        "CheckpointType{name='Checkpoint',",
                                        "SavepointType{name='Savepoint',"));
        log(first, "00:00:03,000", COORDINATOR + completed(2));
        read();
        assertThat(history.checkpointsOf(JOB).last()).contains(checkpoint(1));
        assertThat(history.completedSince(JOB, Instant.EPOCH)).isZero();
    }

    /** Its leader may have died between its metadata and ZooKeeper. */
    @Test
    void whatWasNeverCompletedIsSupersededByALaterOne() throws IOException {
        log(first, "00:00:01,000", COORDINATOR + triggering(1, "2026-01-01T00:00:01Z"));
        log(first, "00:00:02,000", COORDINATOR + completed(1));
        log(first, "00:00:03,000", COORDINATOR + triggering(2, "2026-01-01T00:00:03Z"));
        log(second, "00:00:04,000", COORDINATOR + restoring("Checkpoint 1", checkpoint(1)));
        read();
        assertThat(history.checkpointsOf(JOB).superseded()).isEmpty();

        log(second, "00:00:05,000", COORDINATOR + triggering(3, "2026-01-01T00:00:05Z"));
        log(second, "00:00:06,000", COORDINATOR + completed(3));
        log(second, "00:00:07,000", COORDINATOR + triggering(4, "2026-01-01T00:00:07Z"));
        read();
        assertThat(history.checkpointsOf(JOB).superseded()).containsExactly(2L);
    }

    @Test
    void whatIsBeyondThoseKeptIsSuperseded() throws IOException {
        for (int number = 1; number <= 3; number++) {
            log(first, "00:00:0" + number + ",000", COORDINATOR + completed(number));
        }
        log(second, "00:00:04,000", COORDINATOR + restoring("Checkpoint 4", checkpoint(4)));
        read();
        assertThat(history.checkpointsOf(JOB).superseded()).containsExactly(1L);
        log(second, "00:00:05,000", COORDINATOR + completed(6));
        read();
        assertThat(history.checkpointsOf(JOB).superseded()).containsExactlyInAnyOrder(1L, 2L, 3L);
    }

    private void read() throws IOException {
        history.read(List.of(first, second));
    }

    private static String triggering(int number, String at) {
        return "Triggering checkpoint "
                + number
                + " (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD})"
                + " @ "
                + Instant.parse(at).toEpochMilli()
                + " for job "
                + JOB
                + ".";
    }

    private static String restoring(String from, String path) {
        return "Restoring job "
                + JOB
                + " from "
                + from
                + " @ 0 for "
                + JOB
                + " located at "
                + path
                + ".";
    }

    private static String checkpoint(int number) {
        return "s3://dstl/chaos/checkpoints/" + JOB + "/chk-" + number;
    }

    private static String completed(int number) {
        return "Completed checkpoint " + number + " for job " + JOB + " (9 bytes, x=1 ms).";
    }

    private static String state(String from, String to) {
        return GRAPH + "Job flights (" + JOB + ") switched from state " + from + " to " + to + ".";
    }

    private static void log(Path log, String time, String text) throws IOException {
        write(log, "2026-01-01 " + time + " " + text + "\n");
    }

    private static void write(Path log, String text) throws IOException {
        Files.writeString(
                log,
                text,
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
