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
package io.dstl.parity.leg;

import io.dstl.parity.job.AsyncJob;
import io.dstl.parity.job.NullJob;
import io.dstl.parity.job.ParityJob;
import io.dstl.parity.job.SchemaJob;
import io.dstl.parity.job.Stage;
import io.dstl.parity.leg.Leg.Ending;
import io.dstl.parity.model.Cast;
import java.io.File;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.plugin.PluginManager;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FileUtils;

/** Runs one leg on a cluster of its own in this process. */
final class LegRun implements AutoCloseable {

    private static final int MAX_TRIES = 1000;

    private final Leg leg;
    private final Configuration configuration;
    private final LegCluster cluster;
    private final Stage stage;
    private final LegResult result = new LegResult();

    /** What a materialization must be later than; read before the job may delete it. */
    private final CheckpointFacts restored;

    LegRun(Leg leg, PluginManager plugins) throws Exception {
        this.leg = leg;
        this.configuration = leg.configuration();
        this.restored =
                leg.materialized && leg.restorePath != null
                        ? CheckpointFacts.of(leg.restorePath)
                        : new CheckpointFacts();
        this.stage = Stage.open(leg.cast, leg.firstRound, leg.roundsInFlight);
        this.cluster = new LegCluster(configuration, leg.taskManagers(), leg.slots(), plugins);
        result.endRound = leg.firstRound + leg.rounds;
        result.cast = leg.cast;
    }

    LegResult run() throws Exception {
        CompletableFuture<JobResult> end = cluster.submit(job());
        CompletableFuture<JobResult> told =
                end.whenComplete((ended, failure) -> stage.ended(causeOf(ended, failure)));
        try {
            play();
            result.path = end();
        } catch (ExecutionException e) {
            if (LegCluster.isEndOfJob(e)) {
                told.get();
            }
            throw new IllegalStateException(e.toString(), stage.failureOr(e));
        }
        told.get();
        result.facts = CheckpointFacts.of(result.path);
        return result;
    }

    private JobGraph job() {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        switch (leg.cast) {
            case EVERY_STATE:
            case EVERY_STATE_WITHOUT_KRYO:
            case EVERY_STATE_OF_ODD_LANES:
                ParityJob.build(env, leg.cast);
                break;
            case SCHEMA:
                SchemaJob.build(env, leg.schema, leg.addedSince);
                break;
            case NULL_TEXTS:
            case NULL_NUMBERS:
                NullJob.build(env, leg.cast);
                break;
            case ASYNCHRONOUS:
                AsyncJob.build(env);
                break;
        }
        JobGraph job = env.getStreamGraph().getJobGraph();
        if (leg.restorePath != null) {
            job.setSavepointRestoreSettings(
                    SavepointRestoreSettings.forPath(leg.restorePath, false, leg.restoreMode));
        }
        return job;
    }

    private static Throwable causeOf(JobResult ended, Throwable failure) {
        if (failure != null) {
            return failure;
        }
        return ended.getSerializedThrowable()
                .<Throwable>map(thrown -> thrown.deserializeError(LegRun.class.getClassLoader()))
                .orElseGet(() -> new IllegalStateException("The job is " + ended));
    }

    /** All rounds; after the first come the disturbances. */
    private void play() throws Exception {
        if (leg.taskManagersChange) {
            // It may have begun with the slots of the first one.
            cluster.awaitParallelism(leg.parallelism);
        }
        if (leg.disturbed()) {
            stage.play(leg.firstRound + 1);
            disturb();
        }
        if (leg.ending != Ending.UNALIGNED_CHECKPOINT) {
            playTo(result.endRound);
            stage.checkFailed();
        }
    }

    private void playTo(int endRound) throws InterruptedException {
        stage.play(endRound);
        result.endRound = endRound;
        result.auditedRound = endRound;
        result.content = stage.content();
    }

    private void disturb() throws Exception {
        cluster.checkpoint();
        for (String directory : leg.deletedOnTheWay) {
            FileUtils.deleteDirectory(new File(directory));
        }
        if (leg.savepointOnTheWay != null) {
            cluster.savepoint(savepoints(), leg.savepointOnTheWay);
        }
        if (leg.concurrentCheckpoints > 0) {
            checkpointsWhileHeld(leg.firstRound + 2, leg.concurrentCheckpoints);
        }
        if (leg.finishesEvenLanes) {
            finishEvenLanes();
        }
        if (leg.taskManagersChange) {
            changeTaskManagers();
        }
        stage.failNext(leg.failures);
    }

    /** Each time the job restarts by itself, from the last checkpoint, at another parallelism. */
    private void changeTaskManagers() throws Exception {
        cluster.loseFirstTaskManager();
        cluster.awaitParallelism(leg.slots());
        stage.play(leg.firstRound + 2);
        cluster.checkpoint();
        cluster.addTaskManager();
        cluster.awaitParallelism(leg.parallelism);
    }

    /** Takes the checkpoints while a round is under way and a task does not get on. */
    private String checkpointsWhileHeld(int endRound, int number) throws Exception {
        stage.hold(number * leg.parallelism);
        stage.allow(endRound);
        stage.awaitSent(endRound, leg.parallelism);
        return cluster.lastOf(number);
    }

    private void finishEvenLanes() throws Exception {
        stage.finishEvenLanes();
        result.cast = Cast.EVERY_STATE_OF_ODD_LANES;
        for (int tries = 0; !CheckpointFacts.of(cluster.checkpoint()).hasFinished(); tries++) {
            checkTries(tries, "task finished");
        }
    }

    private String end() throws Exception {
        switch (leg.ending) {
            case STOP:
            case DRAIN:
                return cluster.stop(savepoints(), leg.ending == Ending.DRAIN);
            case CANONICAL_SAVEPOINT:
                return endWith(cluster.savepoint(savepoints(), SavepointFormatType.CANONICAL));
            case NATIVE_SAVEPOINT:
                return endWith(cluster.savepoint(savepoints(), SavepointFormatType.NATIVE));
            case UNALIGNED_CHECKPOINT:
                return endWith(unalignedCheckpoint());
            default:
                return endWith(checkpoint());
        }
    }

    private String endWith(String path) throws Exception {
        cluster.cancel();
        return path;
    }

    private String savepoints() {
        return leg.directory + "/savepoints";
    }

    private String checkpoint() throws Exception {
        if (!leg.materialized) {
            return cluster.checkpoint();
        }
        String path = cluster.checkpoint();
        for (int tries = 0; !CheckpointFacts.of(path).isMaterializedSince(restored); tries++) {
            checkTries(tries, "materialization");
            playTo(result.endRound + 1);
            path = cluster.checkpoint();
        }
        return path;
    }

    /** Ends with records of the last round in flight. */
    private String unalignedCheckpoint() throws Exception {
        for (int tries = 0; ; tries++) {
            checkTries(tries, "record in flight");
            playTo(result.endRound - 1);
            cluster.checkpoint();
            result.endRound++;
            String path = checkpointsWhileHeld(result.endRound, 1);
            if (CheckpointFacts.of(path).inFlightBytes > 0) {
                return path;
            }
            result.endRound++;
        }
    }

    private static void checkTries(int tries, String waitedFor) {
        if (tries == MAX_TRIES) {
            throw new IllegalStateException("No " + waitedFor + " in " + tries + " checkpoints");
        }
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
