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
package io.dstl.bench.fleet;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.clusterframework.types.AllocationID;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import org.apache.flink.runtime.clusterframework.types.SlotID;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;
import org.apache.flink.runtime.instance.HardwareDescription;
import org.apache.flink.runtime.jobmaster.AllocatedSlotReport;
import org.apache.flink.runtime.jobmaster.JobMasterGateway;
import org.apache.flink.runtime.jobmaster.JobMasterId;
import org.apache.flink.runtime.jobmaster.TaskManagerRegistrationInformation;
import org.apache.flink.runtime.leaderretrieval.LeaderRetrievalListener;
import org.apache.flink.runtime.messages.Acknowledge;
import org.apache.flink.runtime.registration.RegistrationResponse;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.resourcemanager.ResourceManagerId;
import org.apache.flink.runtime.resourcemanager.TaskExecutorRegistration;
import org.apache.flink.runtime.rpc.RpcService;
import org.apache.flink.runtime.taskexecutor.AccumulatorReport;
import org.apache.flink.runtime.taskexecutor.ExecutionDeploymentReport;
import org.apache.flink.runtime.taskexecutor.SlotReport;
import org.apache.flink.runtime.taskexecutor.SlotStatus;
import org.apache.flink.runtime.taskexecutor.TaskExecutorHeartbeatPayload;
import org.apache.flink.runtime.taskexecutor.TaskExecutorMemoryConfiguration;
import org.apache.flink.runtime.taskexecutor.TaskExecutorRegistrationSuccess;
import org.apache.flink.runtime.taskexecutor.TaskExecutorToJobManagerHeartbeatPayload;
import org.apache.flink.runtime.taskexecutor.partition.ClusterPartitionReport;
import org.apache.flink.runtime.taskexecutor.slot.SlotOffer;
import org.apache.flink.runtime.taskmanager.TaskExecutionState;
import org.apache.flink.runtime.taskmanager.UnresolvedTaskManagerLocation;

/**
 * A TaskManager to the JobManager, which registers, has slots, takes tasks, beats and acknowledges
 * over Flink's RPC; but its tasks run nothing. All but the constructor is in its main thread.
 *
 * <p>For one job, whose JobManager does not change.
 */
final class SimulatedTaskExecutor extends QuietTaskExecutor {
    private static final Time TIMEOUT = Time.seconds(60);
    private static final ResourceProfile SLOT =
            ResourceProfile.newBuilder()
                    .setCpuCores(1)
                    .setTaskHeapMemoryMB(32)
                    .setTaskOffHeapMemoryMB(0)
                    .setManagedMemoryMB(32)
                    .setNetworkMemoryMB(4)
                    .build();

    private final ResourceID id;
    private final int slots;
    private final HighAvailabilityServices leaders;
    private final SimulatedTasks tasks;
    private final Map<AllocationID, Integer> allocated = new LinkedHashMap<>();
    private CompletableFuture<JobMasterGateway> jobMaster;
    private ResourceManagerGateway resourceManager;
    private JobID job;

    /**
     * @param tasks what becomes of the tasks that are deployed here; this one's own
     */
    SimulatedTaskExecutor(
            RpcService rpc,
            ResourceID id,
            int slots,
            HighAvailabilityServices leaders,
            SimulatedTasks tasks) {
        super(rpc, "simulated_" + id);
        this.id = id;
        this.slots = slots;
        this.leaders = leaders;
        this.tasks = tasks;
    }

    @Override
    protected void onStart() throws Exception {
        leaders.getResourceManagerLeaderRetriever().start(new Leader(this::registerAtResources));
    }

    private void registerAtResources(String address, UUID leader) {
        TaskExecutorRegistration registration =
                new TaskExecutorRegistration(
                        getAddress(),
                        id,
                        0,
                        0,
                        new HardwareDescription(1, 0, 0, 0),
                        new TaskExecutorMemoryConfiguration(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L),
                        SLOT,
                        SLOT.multiply(slots),
                        id.toString(),
                        slots);
        getRpcService()
                .connect(address, ResourceManagerId.fromUuid(leader), ResourceManagerGateway.class)
                .thenCompose(
                        gateway ->
                                gateway.registerTaskExecutor(registration, TIMEOUT)
                                        .thenAcceptAsync(
                                                answer -> registered(gateway, answer),
                                                getMainThreadExecutor()))
                .whenComplete(this::reportFailure);
    }

    private void registered(ResourceManagerGateway gateway, RegistrationResponse answer) {
        if (!(answer instanceof TaskExecutorRegistrationSuccess)) {
            throw new IllegalStateException("the ResourceManager does not take it: " + answer);
        }
        resourceManager = gateway;
        gateway.sendSlotReport(
                        id,
                        ((TaskExecutorRegistrationSuccess) answer).getRegistrationId(),
                        slotReport(),
                        TIMEOUT)
                .whenComplete(this::reportFailure);
    }

    private SlotReport slotReport() {
        List<SlotStatus> statuses = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            if (!allocated.containsValue(slot)) {
                statuses.add(new SlotStatus(new SlotID(id, slot), SLOT));
            }
        }
        allocated.forEach(
                (allocation, slot) ->
                        statuses.add(new SlotStatus(new SlotID(id, slot), SLOT, job, allocation)));
        return new SlotReport(statuses);
    }

    @Override
    public CompletableFuture<Acknowledge> requestSlot(
            SlotID slot,
            JobID forJob,
            AllocationID allocation,
            ResourceProfile profile,
            String jobMasterAddress,
            ResourceManagerId from,
            Time timeout) {
        if (job != null && !job.equals(forJob)) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("the fleet is for one job, which is " + job));
        }
        job = forJob;
        int index = 0;
        while (allocated.containsValue(index)) {
            index++;
        }
        allocated.put(allocation, index);
        SlotOffer offer = new SlotOffer(allocation, index, SLOT);
        jobMaster()
                .thenCompose(gateway -> gateway.offerSlots(id, List.of(offer), TIMEOUT))
                .whenComplete(this::reportFailure);
        return CompletableFuture.completedFuture(Acknowledge.get());
    }

    private CompletableFuture<JobMasterGateway> jobMaster() {
        if (jobMaster == null) {
            CompletableFuture<JobMasterGateway> connected = new CompletableFuture<>();
            jobMaster = connected;
            try {
                leaders.getJobManagerLeaderRetriever(job)
                        .start(
                                new Leader(
                                        (address, leader) ->
                                                registerAtJob(address, leader, connected)));
            } catch (Exception e) {
                connected.completeExceptionally(e);
            }
        }
        return jobMaster;
    }

    private void registerAtJob(
            String address, UUID leader, CompletableFuture<JobMasterGateway> connected) {
        TaskManagerRegistrationInformation information =
                TaskManagerRegistrationInformation.create(
                        getAddress(),
                        new UnresolvedTaskManagerLocation(id, getHostname(), 1, id.toString()),
                        new UUID(0, id.hashCode()));
        getRpcService()
                .connect(address, JobMasterId.fromUuidOrNull(leader), JobMasterGateway.class)
                .thenCompose(
                        gateway ->
                                gateway.registerTaskManager(job, information, TIMEOUT)
                                        .thenApply(answer -> accepted(gateway, answer)))
                .whenComplete(
                        (gateway, failure) -> {
                            if (failure == null) {
                                connected.complete(gateway);
                            } else {
                                connected.completeExceptionally(failure);
                            }
                        });
    }

    private static JobMasterGateway accepted(
            JobMasterGateway gateway, RegistrationResponse answer) {
        if (!(answer instanceof RegistrationResponse.Success)) {
            throw new IllegalStateException("the JobMaster does not take it: " + answer);
        }
        return gateway;
    }

    @Override
    public CompletableFuture<Acknowledge> submitTask(
            TaskDeploymentDescriptor task, JobMasterId from, Time timeout) {
        ExecutionAttemptID attempt = task.getExecutionAttemptId();
        tasks.deploy(attempt, task.getInputGates().isEmpty());
        runAsync(
                () ->
                        jobMaster()
                                .thenCompose(
                                        gateway ->
                                                report(
                                                                gateway,
                                                                attempt,
                                                                ExecutionState.INITIALIZING)
                                                        .thenCompose(
                                                                done ->
                                                                        report(
                                                                                gateway,
                                                                                attempt,
                                                                                ExecutionState
                                                                                        .RUNNING)))
                                .whenComplete(this::reportFailure));
        return CompletableFuture.completedFuture(Acknowledge.get());
    }

    private static CompletableFuture<Acknowledge> report(
            JobMasterGateway gateway, ExecutionAttemptID attempt, ExecutionState state) {
        return gateway.updateTaskExecutionState(new TaskExecutionState(attempt, state));
    }

    @Override
    public CompletableFuture<Acknowledge> cancelTask(ExecutionAttemptID attempt, Time timeout) {
        tasks.remove(attempt);
        jobMaster()
                .thenCompose(gateway -> report(gateway, attempt, ExecutionState.CANCELED))
                .whenComplete(this::reportFailure);
        return CompletableFuture.completedFuture(Acknowledge.get());
    }

    @Override
    public CompletableFuture<Acknowledge> triggerCheckpoint(
            ExecutionAttemptID attempt,
            long checkpoint,
            long triggered,
            CheckpointOptions options) {
        tasks.trigger(checkpoint, triggered);
        return CompletableFuture.completedFuture(Acknowledge.get());
    }

    /** All tasks of this TaskManager acknowledge, one after the other. */
    void acknowledge(long checkpoint) {
        runAsync(
                () ->
                        jobMaster()
                                .thenAcceptAsync(
                                        gateway -> tasks.acknowledge(job, checkpoint, gateway),
                                        getMainThreadExecutor())
                                .whenComplete(this::reportFailure));
    }

    @Override
    public CompletableFuture<Acknowledge> confirmCheckpoint(
            ExecutionAttemptID attempt, long checkpoint, long triggered, long subsumed) {
        tasks.confirm(checkpoint);
        return CompletableFuture.completedFuture(Acknowledge.get());
    }

    @Override
    public CompletableFuture<Acknowledge> abortCheckpoint(
            ExecutionAttemptID attempt, long checkpoint, long latestCompleted, long triggered) {
        return CompletableFuture.completedFuture(Acknowledge.get());
    }

    @Override
    public CompletableFuture<Void> heartbeatFromJobManager(
            ResourceID from, AllocatedSlotReport report) {
        return jobMaster()
                .thenComposeAsync(
                        gateway ->
                                gateway.heartbeatFromTaskManager(
                                        id,
                                        new TaskExecutorToJobManagerHeartbeatPayload(
                                                new AccumulatorReport(List.of()),
                                                new ExecutionDeploymentReport(
                                                        new HashSet<>(tasks.attempts())))),
                        getMainThreadExecutor());
    }

    @Override
    public CompletableFuture<Void> heartbeatFromResourceManager(ResourceID from) {
        return resourceManager.heartbeatFromTaskManager(
                id,
                new TaskExecutorHeartbeatPayload(
                        slotReport(), new ClusterPartitionReport(List.of())));
    }

    @Override
    public CompletableFuture<Acknowledge> freeSlot(
            AllocationID allocation, Throwable cause, Time timeout) {
        allocated.remove(allocation);
        return CompletableFuture.completedFuture(Acknowledge.get());
    }

    @Override
    public void freeInactiveSlots(JobID ofJob, Time timeout) {}

    @Override
    public void disconnectJobManager(JobID fromJob, Exception cause) {
        log.error("{} was disconnected from {}", id, fromJob, cause);
    }

    @Override
    public void disconnectResourceManager(Exception cause) {
        log.error("{} was disconnected from the ResourceManager", id, cause);
    }

    private void reportFailure(Object ignored, Throwable failure) {
        if (failure != null) {
            log.error("{} can't go on", id, failure);
        }
    }

    /** Does something once, in this main thread, as soon as the leader is known. */
    private final class Leader implements LeaderRetrievalListener {
        private final Found found;
        private boolean known;

        Leader(Found found) {
            this.found = found;
        }

        @Override
        public void notifyLeaderAddress(String address, UUID leader) {
            runAsync(
                    () -> {
                        if (address != null && !address.isEmpty() && !known) {
                            known = true;
                            found.at(address, leader);
                        }
                    });
        }

        @Override
        public void handleError(Exception failure) {
            reportFailure(null, failure);
        }
    }

    /** What is done when a leader is found. */
    private interface Found {
        void at(String address, UUID leader);
    }
}
