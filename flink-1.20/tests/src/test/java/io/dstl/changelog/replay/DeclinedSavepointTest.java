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
package io.dstl.changelog.replay;

import static io.dstl.changelog.replay.HandWrittenLog.MERGE_NS;
import static io.dstl.changelog.replay.HandWrittenLog.SET_INTERNAL;
import static io.dstl.changelog.replay.HandWrittenLog.merge;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.ReplayFixture.OF_STOCK;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.keyed.LoggedKeyedStateBackend;
import io.dstl.changelog.keyed.ManualPolicy;
import io.dstl.changelog.record.ProbeSerializer;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.testkit.ManualMailbox;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A canonical savepoint while merges of the restored log wait for the user's function, or after a
 * change was lost.
 */
class DeclinedSavepointTest {
    @TempDir Path directory;

    /** An error as the savepoint begins, on the task thread, would fail the task. */
    @ForEachValue
    void failsWhereItIsWrittenUntilTheFunctionIsKnown(Delegate kind) throws Exception {
        JobID job = new JobID();
        try (StateChangelogStorage<ChangelogStateHandleStreamImpl> log =
                KeyedTask.logStorage(job, KeyedTask.logIn(directory.resolve("log")))) {
            LoggedKeyedStateBackend<Integer> backend = restored(kind, job, log);
            try {
                RunnableFuture<SnapshotResult<KeyedStateHandle>> early =
                        KeyedTask.canonicalSavepoint(backend, 1);
                early.run();
                assertThatThrownBy(early::get)
                        .hasStackTraceContaining("holds merges of windows")
                        .satisfies(DeclinedSavepointTest::isNotCounted);

                backend.getOrCreateKeyedState(
                        LONGS, new ReducingStateDescriptor<>("s", Long::sum, LONGS));
                RunnableFuture<SnapshotResult<KeyedStateHandle>> later =
                        KeyedTask.canonicalSavepoint(backend, 1);
                later.run();
                assertThat(later.get().getJobManagerOwnedSnapshot()).isNotNull();
            } finally {
                backend.dispose();
            }
        }
    }

    /** As no checkpoint is taken any more: a restart from one has not what the log lacks. */
    @Test
    void isRefusedOnceAChangeCouldNotBeLogged() throws Exception {
        JobID job = new JobID();
        try (StateChangelogStorage<ChangelogStateHandleStreamImpl> log =
                KeyedTask.logStorage(job, KeyedTask.logIn(directory.resolve("log")))) {
            LoggedKeyedStateBackend<Integer> backend = restored(Delegate.HEAP, job, log);
            try {
                backend.setCurrentKey(1);
                ValueState<StringBuilder> probes =
                        backend.getPartitionedState(
                                10L,
                                LONGS,
                                new ValueStateDescriptor<>("probes", new ProbeSerializer()));
                assertThatThrownBy(() -> probes.update(new StringBuilder(ProbeSerializer.POISON)))
                        .hasMessageContaining("cannot serialize");

                assertThatThrownBy(backend::savepoint)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("State 'probes' was changed but")
                        .hasMessageContaining("could not be logged");
            } finally {
                backend.dispose();
            }
        }
    }

    /** As checkpoints that come too early are: Flink counts none of these. */
    private static void isNotCounted(Throwable failure) {
        assertThat(ExceptionUtils.findThrowable(failure, CheckpointException.class))
                .get()
                .extracting(CheckpointException::getCheckpointFailureReason)
                .isEqualTo(CheckpointFailureReason.CHECKPOINT_DECLINED_TASK_NOT_READY);
    }

    private LoggedKeyedStateBackend<Integer> restored(
            Delegate kind, JobID job, StateChangelogStorage<?> log) throws Exception {
        HandWrittenLog merged =
                new HandWrittenLog()
                        .state(0, "s", Type.REDUCING, LONGS, LONGS)
                        .change(SET_INTERNAL, 0, 1, 10, number(1))
                        .change(SET_INTERNAL, 0, 1, 11, number(10))
                        .change(MERGE_NS, 0, 1, 10, merge(10, 11));
        return new ManualPolicy()
                .backend(
                        kind.backend(directory),
                        new KeyedTask<>(INTS)
                                .environment(
                                        job,
                                        log,
                                        KeyedTask.checkpointStorage(
                                                job, directory.resolve("checkpoints")),
                                        ManualMailbox.direct(),
                                        Executors.newDirectExecutorService())
                                .restored(List.of(handle(segment(OF_STOCK, merged))))
                                .parameters(),
                        Runnable::run);
    }
}
