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

import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.CHECKPOINT_COORDINATOR_SHUTDOWN;
import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.CHECKPOINT_COORDINATOR_SUSPEND;
import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.CHECKPOINT_DECLINED_TASK_CLOSING;
import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.CHECKPOINT_DECLINED_TASK_NOT_READY;
import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.CHECKPOINT_SUBSUMED;
import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.NOT_ALL_REQUIRED_TASKS_RUNNING;
import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.TASK_CHECKPOINT_FAILURE;
import static org.apache.flink.runtime.checkpoint.CheckpointFailureReason.TASK_FAILURE;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.plugin.PluginManager;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.util.ExceptionUtils;

/** A cluster in this process with one job, and what a leg asks of it. */
final class LegCluster implements AutoCloseable {

    /**
     * Tasks have yet to start, a later one was faster, or a task finished as it was asked: which of
     * the other four is said then depends on how far it has come.
     */
    private static final Set<CheckpointFailureReason> WORTH_ANOTHER =
            EnumSet.of(
                    NOT_ALL_REQUIRED_TASKS_RUNNING,
                    CHECKPOINT_SUBSUMED,
                    TASK_FAILURE,
                    CHECKPOINT_DECLINED_TASK_CLOSING,
                    CHECKPOINT_DECLINED_TASK_NOT_READY,
                    TASK_CHECKPOINT_FAILURE);

    private static final Set<CheckpointFailureReason> END_OF_JOB =
            EnumSet.of(CHECKPOINT_COORDINATOR_SUSPEND, CHECKPOINT_COORDINATOR_SHUTDOWN);

    private static final Executor SOON =
            CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

    private final MiniCluster cluster;
    private JobID job;

    /**
     * @param taskManagers several must be there from the start: a single one has no network
     * @param slots of each
     */
    LegCluster(Configuration configuration, int taskManagers, int slots, PluginManager plugins)
            throws Exception {
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(taskManagers)
                                .setNumSlotsPerTaskManager(slots)
                                .setPluginManager(plugins)
                                .withRandomPorts()
                                .build());
        cluster.start();
    }

    /** Returns how the job will have ended. */
    CompletableFuture<JobResult> submit(JobGraph graph) throws Exception {
        cluster.submitJob(graph).get();
        job = graph.getJobID();
        return cluster.requestJobResult(job);
    }

    /** Takes a checkpoint as soon as all tasks run. */
    String checkpoint() throws Exception {
        return lastOf(1);
    }

    /**
     * Triggers checkpoints one right after the other, waits for all of them, and returns the last.
     * One completes; others may have been overtaken by it.
     */
    String lastOf(int number) throws Exception {
        while (true) {
            List<CompletableFuture<String>> triggered = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                triggered.add(cluster.triggerCheckpoint(job));
            }
            List<String> completed = new ArrayList<>();
            for (CompletableFuture<String> each : triggered) {
                try {
                    completed.add(each.get());
                } catch (ExecutionException e) {
                    if (reasonOf(e).filter(WORTH_ANOTHER::contains).isEmpty()) {
                        throw e;
                    }
                }
            }
            if (!completed.isEmpty()) {
                return Collections.max(completed, Comparator.comparingLong(LegCluster::idOf));
            }
            // Tasks that start need the processors.
            CompletableFuture.runAsync(() -> {}, SOON).get();
        }
    }

    private static long idOf(String checkpoint) {
        return Long.parseLong(checkpoint.substring(checkpoint.lastIndexOf('-') + 1));
    }

    private static Optional<CheckpointFailureReason> reasonOf(Throwable thrown) {
        return ExceptionUtils.findThrowable(thrown, CheckpointException.class)
                .map(CheckpointException::getCheckpointFailureReason);
    }

    /** Whether a checkpoint has failed because the job has: the job will say more. */
    static boolean isEndOfJob(Throwable thrown) {
        return reasonOf(thrown).filter(END_OF_JOB::contains).isPresent();
    }

    String savepoint(String directory, SavepointFormatType format) throws Exception {
        awaitTasks();
        return cluster.triggerSavepoint(job, directory, false, format).get();
    }

    String stop(String directory, boolean drain) throws Exception {
        awaitTasks();
        return cluster.stopWithSavepoint(job, directory, drain, SavepointFormatType.CANONICAL)
                .get();
    }

    /** A checkpoint is only taken when all tasks run. */
    private void awaitTasks() throws Exception {
        checkpoint();
    }

    void addTaskManager() throws Exception {
        cluster.startTaskManager();
    }

    void loseFirstTaskManager() throws Exception {
        cluster.terminateTaskManager(0).get();
    }

    /** Waits until the job runs with so many subtasks of its widest vertex. */
    void awaitParallelism(int parallelism) throws Exception {
        while (!runsAt(parallelism)) {
            CompletableFuture.runAsync(() -> {}, SOON).get();
        }
    }

    private boolean runsAt(int parallelism) throws Exception {
        ArchivedExecutionGraph graph = cluster.getArchivedExecutionGraph(job).get();
        if (graph.getState().isGloballyTerminalState()) {
            throw new IllegalStateException(
                    "The job is "
                            + graph.getState()
                            + ": "
                            + Optional.ofNullable(graph.getFailureInfo())
                                    .map(ErrorInfo::getExceptionAsString)
                                    .orElse("for no failure"));
        }
        return graph.getState() == JobStatus.RUNNING
                && graph.getAllVertices().values().stream()
                                .mapToInt(AccessExecutionJobVertex::getParallelism)
                                .max()
                                .orElse(0)
                        == parallelism;
    }

    void cancel() throws Exception {
        cluster.cancelJob(job).get();
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
