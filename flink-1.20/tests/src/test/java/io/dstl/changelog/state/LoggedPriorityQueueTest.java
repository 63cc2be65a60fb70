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
package io.dstl.changelog.state;

import static io.dstl.changelog.testing.Serializers.INTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.ProbeSerializer;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.OnEachDelegate;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LoggedPriorityQueueTest extends LoggedStateTest {
    private static final TimerSerializer<Integer, VoidNamespace> TIMER =
            new TimerSerializer<>(INTS, VoidNamespaceSerializer.INSTANCE);

    private LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue;

    @Override
    void open(Delegate kind) throws Exception {
        super.open(kind);
        queue = backend.queue("timers", TIMER);
    }

    @OnEachDelegate
    void logsWhatIsAddedAndTaken(Delegate kind) throws Exception {
        open(kind);
        assertThat(queue.add(timer(20, 7))).as("head changed").isTrue();
        assertThat(queue.add(timer(30, 7))).as("head changed").isFalse();
        assertThat(queue.add(timer(10, 7))).as("head changed").isTrue();
        assertThat(queue.poll()).isEqualTo(timer(10, 7));
        assertThat(queue.remove(timer(30, 7))).as("head changed").isFalse();
        assertThat(queue.remove(timer(20, 7))).as("head changed").isTrue();
        assertThat(queue.isEmpty()).isTrue();

        List<RecordedChange> records = backend.log.take();
        assertThat(records.get(0).metadata().type()).isEqualTo(BackendStateType.PRIORITY_QUEUE);
        assertThat(records.get(0).metadata().name()).isEqualTo("timers");
        assertThat(texts(records.subList(1, records.size())))
                .containsExactly(
                        "ADD_ELEMENT [20/7]",
                        "ADD_ELEMENT [30/7]",
                        "ADD_ELEMENT [10/7]",
                        "REMOVE_ELEMENT 10/7",
                        "REMOVE_ELEMENT 30/7",
                        "REMOVE_ELEMENT 20/7");
    }

    @OnEachDelegate
    void goesByTheKeyOfTheElementNotByTheCurrentOne(Delegate kind) throws Exception {
        open(kind);
        assertThat(backend.recorder.keyGroupOf(8)).isNotEqualTo(backend.recorder.keyGroupOf(7));
        queue.add(timer(10, 8));
        queue.remove(timer(10, 8));
        queue.add(timer(20, 8));
        queue.poll();
        assertThat(backend.changes())
                .hasSize(4)
                .allSatisfy(
                        change ->
                                assertThat(change.keyGroup())
                                        .isEqualTo(backend.recorder.keyGroupOf(8)));
    }

    @OnEachDelegate
    void addsManyByKeyGroup(Delegate kind) throws Exception {
        open(kind);
        queue.addAll(Arrays.asList(timer(10, 7), timer(20, 8), timer(30, 7)));
        queue.addAll(null);
        List<RecordedChange> changes = backend.changes();
        assertThat(texts(changes))
                .containsExactlyInAnyOrder("ADD_ELEMENT [10/7, 30/7]", "ADD_ELEMENT [20/8]");
        for (RecordedChange change : changes) {
            int key = texts(Arrays.asList(change)).get(0).contains("/8") ? 8 : 7;
            assertThat(change.keyGroup()).isEqualTo(backend.recorder.keyGroupOf(key));
        }
        assertThat(queue.size()).isEqualTo(3);
    }

    @OnEachDelegate
    void logsWhatMayHaveChangedNothing(Delegate kind) throws Exception {
        open(kind);
        queue.add(timer(10, 7));
        queue.add(timer(10, 7));
        queue.remove(timer(99, 7));
        assertThat(texts(backend.changes()))
                .containsExactly("ADD_ELEMENT [10/7]", "ADD_ELEMENT [10/7]", "REMOVE_ELEMENT 99/7");
        assertThat(queue.size()).isEqualTo(1);
    }

    static Stream<Consumer<LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>>>
            changes() {
        return Stream.of(
                LoggedPriorityQueue::poll,
                queue -> queue.add(timer(10, 7)),
                queue -> queue.addAll(Arrays.asList(timer(10, 7), timer(20, 8))),
                queue -> queue.remove(timer(10, 7)));
    }

    /** RocksDB's batch of timers keeps what it could not write, and tries again later. */
    @ParameterizedTest
    @MethodSource("changes")
    void aChangeThatFailsEndsAllCheckpoints(
            Consumer<LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>> change)
            throws Exception {
        open(Delegate.ROCKSDB);
        FlinkRuntimeException failure = new FlinkRuntimeException("no space left");
        LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> broken =
                backend.states.queue("broken", TIMER, failing(failure));
        assertThatThrownBy(() -> change.accept(broken)).isSameAs(failure);
        assertThat(backend.log.take()).isEmpty();
        assertThatThrownBy(backend.recorder::checkComplete)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'broken'")
                .hasCause(failure);
    }

    @SuppressWarnings("unchecked")
    private static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>
            failing(RuntimeException failure) {
        return (KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>)
                Proxy.newProxyInstance(
                        LoggedPriorityQueueTest.class.getClassLoader(),
                        new Class<?>[] {KeyGroupedInternalPriorityQueue.class},
                        (proxy, method, arguments) -> {
                            throw failure;
                        });
    }

    @OnEachDelegate
    void readsLogNothing(Delegate kind) throws Exception {
        open(kind);
        assertThat(queue.poll()).isNull();
        assertThat(queue.peek()).isNull();
        queue.add(timer(10, 7));
        backend.log.take();
        assertThat(queue.peek()).isEqualTo(timer(10, 7));
        assertThat(queue.getSubsetForKeyGroup(backend.recorder.keyGroupOf(7)))
                .containsExactly(timer(10, 7));
        assertThat(queue.size()).isEqualTo(1);
        try (CloseableIterator<?> iterator = queue.iterator()) {
            assertThat(iterator.hasNext()).isTrue();
            assertThat(iterator.next()).isEqualTo(timer(10, 7));
            assertThatThrownBy(iterator::remove)
                    .as("as the delegates do")
                    .isInstanceOf(UnsupportedOperationException.class);
        }
        assertThat(backend.log.take()).isEmpty();
    }

    @OnEachDelegate
    void rewritesAllElementsInRecordsOfBoundedSize(Delegate kind) throws Exception {
        open(kind);
        Set<String> expected = new HashSet<>();
        for (int time = 0; time < 2500; time++) {
            queue.add(timer(time, 7));
            expected.add(time + "/7");
        }
        queue.add(timer(1, 8));
        expected.add("1/8");
        backend.log.take();

        backend.recorder.startNewRound();
        List<RecordedChange> records = rewriteAll();
        assertThat(records.get(0).isMetadata()).isTrue();
        List<List<String>> chunks = new ArrayList<>();
        for (RecordedChange record : records.subList(1, records.size())) {
            assertThat(record.op()).isEqualTo(ChangeOp.ADD_ELEMENT);
            chunks.add(elements(record));
        }
        assertThat(chunks).extracting(List::size).allMatch(size -> size <= 1024);
        Set<String> rewritten = new HashSet<>();
        chunks.forEach(rewritten::addAll);
        assertThat(rewritten).isEqualTo(expected);
    }

    @OnEachDelegate
    void rewritesAnEmptyQueueAsNothing(Delegate kind) throws Exception {
        open(kind);
        assertThat(rewriteAll()).isEmpty();
    }

    /** What the queue holds at the end is what the records since the rewrite began come to. */
    @Test
    void aQueueThatChangesBetweenTwoPartsIsRewrittenAsItThenIs() throws Exception {
        open(Delegate.HEAP);
        for (int time = 0; time < 5000; time++) {
            queue.add(timer(time, 7));
            queue.add(timer(time, 8));
        }
        backend.log.take();
        backend.recorder.startNewRound();
        LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>.Rewrite rewrite =
                queue.rewrite();
        Set<String> replayed = new HashSet<>();
        Random random = new Random(17);
        int parts = 0;
        boolean more = true;
        while (more) {
            more = rewrite.next();
            parts++;
            for (int i = 0; i < 500; i++) {
                int time = random.nextInt(6000);
                int key = 7 + random.nextInt(2);
                if (random.nextBoolean()) {
                    queue.add(timer(time, key));
                } else {
                    queue.remove(timer(time, key));
                }
            }
            queue.poll();
            for (RecordedChange change : backend.log.takeChanges()) {
                replay(change, replayed);
            }
        }

        assertThat(parts).isBetween(9, 12);
        assertThat(replayed).isEqualTo(content());
    }

    private static void replay(RecordedChange record, Set<String> into) throws Exception {
        if (record.op() == ChangeOp.ADD_ELEMENT) {
            into.addAll(elements(record));
        } else {
            into.removeAll(elements(record));
        }
    }

    private Set<String> content() throws Exception {
        Set<String> content = new HashSet<>();
        try (CloseableIterator<TimerHeapInternalTimer<Integer, VoidNamespace>> timers =
                queue.iterator()) {
            timers.forEachRemaining(
                    timer -> content.add(timer.getTimestamp() + "/" + timer.getKey()));
        }
        return content;
    }

    private List<RecordedChange> rewriteAll() throws Exception {
        LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>.Rewrite rewrite =
                queue.rewrite();
        while (rewrite.next()) {}
        return backend.log.take();
    }

    @OnEachDelegate
    void anElementThatCannotBeSerializedLeavesNoHalfRecord(Delegate kind) throws Exception {
        open(kind);
        LoggedPriorityQueue<TimerHeapInternalTimer<StringBuilder, VoidNamespace>> probes =
                backend.queue(
                        "probes",
                        new TimerSerializer<>(
                                new ProbeSerializer(), VoidNamespaceSerializer.INSTANCE));
        TimerHeapInternalTimer<StringBuilder, VoidNamespace> poison =
                new TimerHeapInternalTimer<>(
                        1L, new StringBuilder(ProbeSerializer.POISON), VoidNamespace.INSTANCE);
        assertThatThrownBy(() -> probes.add(poison)).isInstanceOf(Exception.class);
        assertThat(backend.changes()).isEmpty();
    }

    @OnEachDelegate
    void staysTheSameQueueWhenRegisteredAgain(Delegate kind) throws Exception {
        open(kind);
        queue.add(timer(10, 7));
        backend.log.take();
        assertThat(backend.<TimerHeapInternalTimer<Integer, VoidNamespace>>queue("timers", TIMER))
                .isSameAs(queue);
        assertThat(backend.states.queues()).hasSize(1);
        queue.add(timer(20, 7));
        assertThat(backend.log.take())
                .extracting(RecordedChange::isMetadata)
                .containsExactly(true, false);
        assertThat(queue.size()).isEqualTo(2);
    }

    private static TimerHeapInternalTimer<Integer, VoidNamespace> timer(long time, int key) {
        return new TimerHeapInternalTimer<>(time, key, VoidNamespace.INSTANCE);
    }

    private static List<String> texts(List<RecordedChange> changes) throws Exception {
        List<String> texts = new ArrayList<>();
        for (RecordedChange change : changes) {
            List<String> elements = elements(change);
            texts.add(
                    change.op()
                            + " "
                            + (change.op() == ChangeOp.REMOVE_ELEMENT
                                    ? elements.get(0)
                                    : elements.toString()));
        }
        return texts;
    }

    private static List<String> elements(RecordedChange change) throws Exception {
        DataInputDeserializer in = change.body();
        int count = change.op() == ChangeOp.REMOVE_ELEMENT ? 1 : in.readInt();
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            TimerHeapInternalTimer<Integer, VoidNamespace> timer = TIMER.deserialize(in);
            elements.add(timer.getTimestamp() + "/" + timer.getKey());
        }
        assertThat(in.available()).isZero();
        return elements;
    }
}
