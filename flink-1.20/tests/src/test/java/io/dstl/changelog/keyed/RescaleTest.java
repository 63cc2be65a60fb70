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
package io.dstl.changelog.keyed;

import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.option.CapturedLog;
import io.dstl.changelog.serializer.type.Fare;
import io.dstl.changelog.serializer.type.MyPojo;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

/** What one rescaling leaves in the base of a task comes back with no later one. */
class RescaleTest extends CheckpointLifeFixture {
    /** So that each key group has one. */
    private static final int MANY_KEYS = 200;

    /**
     * Of four tasks, the third goes on to a base of its own, and the fourth stays with that of two,
     * which has the third one's keys as they were. The last of three is restored from both.
     */
    @ForEachValue
    void whatWasRemovedAfterOneRescalingStaysSoAfterTheNext(Delegate delegate) throws Exception {
        start(delegate, 2);
        job.put(1, KEYS, "a");
        job.materialize();
        job.checkpoint(1);
        job.stop();
        job.start(4);
        for (int key = 1; key <= KEYS; key++) {
            job.ownerOf(key).remove(key);
        }
        job.subtasks().get(2).materialize();
        job.checkpoint(2);

        job.stop();
        job.start(3);

        assertThat(job.read(1, KEYS).values()).containsOnly("null of null");
    }

    /** Flink's own backend would replay it whole in both tasks of a later restore. */
    @ForEachValue
    void noCheckpointAfterARescalingListsALogOfSeveralTasks(Delegate delegate) throws Exception {
        start(delegate, 2);
        job.put(1, KEYS, "a");
        job.materialize();
        job.checkpoint(1);
        // A log on top of the bases of two: each of these is of one task again afterwards.
        job.stop();
        job.start(1);
        job.put(1, KEYS, "b");
        job.checkpoint(2);
        job.put(1, KEYS, "c");
        job.checkpoint(3);
        job.stop();
        job.start(2);
        job.checkpoint(4);

        assertThat(job.segmentsOf(3)).isNotEmpty();
        assertThat(job.segmentsOf(4)).doesNotContainAnyElementsOf(job.segmentsOf(3));
        job.stop();
        job.start(3);
        assertThat(job.read(1, KEYS).values()).allMatch(value -> value.startsWith("c"));
    }

    /** Without a base too. */
    @ForEachValue
    void noCheckpointAfterARescalingListsALogWithoutABaseThatSeveralTasksHave(Delegate delegate)
            throws Exception {
        start(delegate, 1);
        job.put(1, KEYS, "a");
        job.checkpoint(1);
        job.stop();
        job.start(2);
        job.checkpoint(2);

        assertThat(job.segmentsOf(1)).isNotEmpty();
        assertThat(job.segmentsOf(2)).doesNotContainAnyElementsOf(job.segmentsOf(1));
    }

    /** From 15 to 16 tasks most keep their key groups, and RocksDB could go on with their files. */
    @Test
    void theFirstCheckpointAfterARescalingReusesNoFile() throws Exception {
        start(Delegate.ROCKSDB, 15);
        job.put(1, MANY_KEYS, "a");
        job.materialize();
        job.checkpoint(1);
        job.put(1, MANY_KEYS, "b");
        job.checkpoint(2);
        job.stop();
        job.start(16);
        job.checkpoint(3);

        assertThat(job.materializedFilesOf(2)).isNotEmpty();
        assertThat(job.materializedFilesOf(3))
                .isNotEmpty()
                .doesNotContainAnyElementsOf(job.materializedFilesOf(2));
    }

    /** Flink's backends would read the values of all tasks in the format of one. */
    @ForEachValue
    void basesOfBeforeAndAfterAMigrationAreRefused(Delegate delegate) throws Exception {
        startWithFares(delegate);
        restart(2, Fare.AFTER);
        job.subtasks().get(0).materialize();
        job.checkpoint(2);
        job.stop();
        assertThatThrownBy(() -> job.start(1))
                .hasStackTraceContaining("has state 'state' in another format than")
                .hasStackTraceContaining("Then take a canonical savepoint");

        assertScalesInOnceAllHaveUsedTheState();
    }

    /** A task that does not ask for a state materializes it as it was. */
    @ForEachValue
    void aBaseOfATaskThatDoesNotUseTheStateIsRefused(Delegate delegate) throws Exception {
        startWithFares(delegate);
        job.stop();
        job.start(2);
        job.subtasks().get(0).register(descriptor(Fare.AFTER));
        job.materialize();
        job.checkpoint(2);
        job.stop();
        assertThatThrownBy(() -> job.start(1))
                .hasStackTraceContaining("not all tasks had used it and materialized since")
                .hasStackTraceContaining("have each task call getState for this state in open()");

        assertScalesInOnceAllHaveUsedTheState();
    }

    /** What migrates a state is not logged. */
    @ForEachValue
    void aBaseFromBeforeATaskUsedTheStateIsReplacedOnce(Delegate delegate) throws Exception {
        startWithFares(delegate);
        job.stop();
        job.start(2);
        job.materialize();
        job.checkpoint(2);
        for (TestSubtask subtask : job.subtasks()) {
            subtask.register(descriptor(Fare.AFTER));
        }
        job.materialize();
        job.checkpoint(3);
        assertThat(job.materializedFilesOf(3)).isNotEqualTo(job.materializedFilesOf(2));

        job.materialize();
        job.checkpoint(4);
        assertThat(job.materializedFilesOf(4)).isEqualTo(job.materializedFilesOf(3));
    }

    /** At parallelism 2; what is materialized has them all. */
    private void startWithFares(Delegate delegate) throws Exception {
        start(delegate, 2);
        for (int key = 1; key <= KEYS; key++) {
            state(key, Fare.BEFORE).update(Fare.BEFORE.value(key));
        }
        job.materialize();
        job.checkpoint(1);
    }

    /** Nothing has changed: the bases are replaced all the same. */
    private void assertScalesInOnceAllHaveUsedTheState() throws Exception {
        restart(2, Fare.AFTER);
        job.materialize();
        job.checkpoint(3);
        job.stop();
        job.start(1);
        for (int key = 1; key <= KEYS; key++) {
            assertThat(state(key, Fare.AFTER).value().number).isEqualTo(key);
        }
    }

    /** They are in the snapshot of the serializer, which so differs from task to task. */
    @ForEachValue
    void tasksMayHaveMetOtherSubclasses(Delegate delegate) throws Exception {
        StateType<MyPojo> type = StateTypes.POJO_OR_SUBCLASS;
        start(delegate, 2);
        Map<Integer, Integer> numbers = new HashMap<>();
        for (int key = 1; key <= KEYS; key++) {
            // The subclass is that of odd numbers.
            numbers.put(key, 2 * key + (job.subtasks().get(0).owns(key) ? 1 : 0));
            state(key, type).update(type.value(numbers.get(key)));
        }
        job.materialize();
        job.checkpoint(1);
        job.stop();
        job.start(1);

        for (int key = 1; key <= KEYS; key++) {
            assertThat(type.number(state(key, type).value())).isEqualTo(numbers.get(key));
        }
    }

    /**
     * Flink from 2.1 on writes another schema for a map whose keys' serializer it has reconfigured,
     * as for subclasses at each restart. Here one of two tasks has materialized since.
     */
    @ForEachValue
    void tasksMayHaveMetSubclassesAsKeysOfAMap(Delegate delegate) throws Exception {
        start(delegate, 2);
        for (int key = 1; key <= KEYS; key++) {
            map(key).put(StateTypes.POJO_OR_SUBCLASS.value(key), 10L * key);
        }
        job.materialize();
        job.checkpoint(1);
        job.stop();
        job.start(2);
        for (int key = 1; key <= KEYS; key++) {
            map(key).put(StateTypes.POJO_OR_SUBCLASS.value(key + KEYS), 20L * key);
        }
        job.subtasks().get(0).materialize();
        job.checkpoint(2);
        job.stop();
        job.start(1);

        for (int key = 1; key <= KEYS; key++) {
            assertThat(map(key).get(StateTypes.POJO_OR_SUBCLASS.value(key))).isEqualTo(10L * key);
            assertThat(map(key).get(StateTypes.POJO_OR_SUBCLASS.value(key + KEYS)))
                    .isEqualTo(20L * key);
        }
    }

    private MapState<MyPojo, Long> map(int key) throws Exception {
        return job.ownerOf(key)
                .state(
                        key,
                        new MapStateDescriptor<>(
                                "map", StateTypes.POJO_OR_SUBCLASS.serializer(), LONGS));
    }

    private <T> ValueState<T> state(int key, StateType<T> type) throws Exception {
        return job.ownerOf(key).state(key, descriptor(type));
    }

    private static <T> ValueStateDescriptor<T> descriptor(StateType<T> type) {
        return new ValueStateDescriptor<>("state", type.serializer());
    }

    /** Each task migrates the state. */
    private void restart(int parallelism, StateType<?> type) throws Exception {
        job.stop();
        job.start(parallelism);
        for (TestSubtask subtask : job.subtasks()) {
            subtask.register(descriptor(type));
        }
    }

    @Test
    void saysWhyTheFirstCheckpointAfterARescalingIsAFullOne() throws Exception {
        try (CapturedLog log = new CapturedLog(FullCheckpoint.class.getName())) {
            start(Delegate.ROCKSDB, 1);
            job.put(1, KEYS, "a");
            job.materialize();
            job.checkpoint(1);
            assertThat(log.messages()).isEmpty();

            job.stop();
            job.start(2);
            job.checkpoint(2);
            assertThat(log.messages())
                    .hasSize(2)
                    .allSatisfy(
                            text ->
                                    assertThat(text)
                                            .startsWith("Checkpoint 2 of ")
                                            .contains(job.operator().toHexString())
                                            .contains("may have key groups of other tasks")
                                            .contains("change of the parallelism"))
                    .anyMatch(text -> text.contains("of its key groups [0, 7], as"))
                    .anyMatch(text -> text.contains("of its key groups [8, 15], as"));

            job.checkpoint(3);
            assertThat(log.messages()).hasSize(2);
        }
    }

    /** As Flink's own backend leaves it after going from [8, 15] to [8, 11] and [12, 15]. */
    @Test
    void aBaseThatHasTheKeyGroupsOfAnotherHandleIsRefused() {
        List<ChangelogStateBackendHandle> handles =
                List.of(
                        handle(KeyGroupRange.of(11, 11), KeyGroupRange.of(8, 11)),
                        handle(KeyGroupRange.of(12, 15), KeyGroupRange.of(8, 15)));

        assertThatThrownBy(() -> RestoredRanges.check(handles, KeyGroupRange.of(11, 15), "windows"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("windows cannot be restored for key groups [11, 15]")
                .hasMessageContaining("with the parallelism that it was taken with");
    }

    @Test
    void aBaseWithMoreKeyGroupsThanTheTaskIsTaken() {
        KeyGroupRange own = KeyGroupRange.of(12, 15);

        RestoredRanges.check(List.of(handle(own, KeyGroupRange.of(8, 15))), own, "windows");
    }

    /** From [0, 7] and [8, 15] to three tasks and back: the logs of two are on top of one base. */
    @Test
    void aBaseThatTwoHandlesShareIsTaken() {
        ChangelogStateBackendHandle one = handle(KeyGroupRange.of(8, 10), KeyGroupRange.of(8, 15));
        ChangelogStateBackendHandle other =
                handle(KeyGroupRange.of(11, 15), one.getMaterializedStateHandles());

        RestoredRanges.check(List.of(one, other), KeyGroupRange.of(8, 15), "windows");
    }

    private static ChangelogStateBackendHandle handle(KeyGroupRange range, KeyGroupRange base) {
        return handle(
                range,
                List.of(
                        new IncrementalRemoteKeyedStateHandle(
                                new UUID(0, 1),
                                base,
                                1,
                                List.of(),
                                List.of(),
                                new ByteStreamStateHandle("metadata", new byte[1]))));
    }

    private static ChangelogStateBackendHandle handle(
            KeyGroupRange range, List<KeyedStateHandle> bases) {
        return new ChangelogStateBackendHandleImpl(bases, List.of(), range, 1, 1, 0);
    }
}
