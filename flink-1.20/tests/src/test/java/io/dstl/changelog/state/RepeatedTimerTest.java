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

import static io.dstl.changelog.state.LoggedPriorityQueueTest.TIMER;
import static io.dstl.changelog.state.LoggedPriorityQueueTest.replay;
import static io.dstl.changelog.state.LoggedPriorityQueueTest.texts;
import static io.dstl.changelog.state.LoggedPriorityQueueTest.timer;
import static io.dstl.changelog.testing.Serializers.INTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.ProbeSerializer;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.OnEachDelegate;
import io.dstl.changelog.testing.PlainBackend;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of timers that repeat the one before, as windows make them. */
class RepeatedTimerTest extends LoggedStateTest {
    private LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue;

    @Override
    void open(Delegate kind) throws Exception {
        super.open(kind);
        queue = backend.queue("timers", TIMER);
    }

    /** As windows do it: a timer is added twice, fires, and is removed with its window. */
    @Test
    void aChangeThatRepeatsTheLastOneReachesNeitherRocksDbNorTheLog() throws Exception {
        open(Delegate.ROCKSDB);
        List<String> calls = new ArrayList<>();
        LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> counted =
                backend.states.queue("counted", TIMER, recording(calls));
        assertThat(counted.add(timer(10, 7))).isTrue();
        assertThat(counted.add(timer(10, 7))).as("the head is the same").isFalse();
        counted.poll();
        assertThat(counted.remove(timer(10, 7))).isFalse();
        assertThat(counted.remove(timer(10, 7))).isFalse();
        counted.add(timer(20, 7));
        assertThat(counted.remove(timer(20, 7))).isTrue();
        assertThat(counted.remove(timer(20, 7))).isFalse();

        assertThat(calls).containsExactly("add", "poll", "add", "remove");
        assertThat(texts(backend.changes()))
                .containsExactly(
                        "ADD_ELEMENT [10/7]",
                        "REMOVE_ELEMENT 10/7",
                        "ADD_ELEMENT [20/7]",
                        "REMOVE_ELEMENT 20/7");
    }

    /** Its head is always the same, and changes with each change. */
    @SuppressWarnings("unchecked")
    private static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>
            recording(List<String> calls) {
        return (KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>)
                Proxy.newProxyInstance(
                        RepeatedTimerTest.class.getClassLoader(),
                        new Class<?>[] {KeyGroupedInternalPriorityQueue.class},
                        (proxy, method, arguments) -> {
                            calls.add(method.getName());
                            return method.getReturnType() == boolean.class ? true : timer(10, 7);
                        });
    }

    @Test
    void aQueueThatIsRegisteredAnewBeginsAnew() throws Exception {
        open(Delegate.ROCKSDB);
        List<String> calls = new ArrayList<>();
        LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> counted =
                backend.states.queue("counted", TIMER, recording(calls));
        counted.add(timer(10, 7));
        counted.rebind(TIMER, recording(calls));
        counted.add(timer(10, 7));
        assertThat(calls).containsExactly("add", "add");
    }

    @OnEachDelegate
    void whatWasUndoneIsDoneAgain(Delegate kind) throws Exception {
        open(kind);
        queue.add(timer(10, 7));
        queue.remove(timer(10, 7));
        queue.add(timer(10, 7));
        queue.poll();
        queue.add(timer(10, 7));
        queue.addAll(Arrays.asList(timer(20, 7)));
        queue.add(timer(10, 7));
        assertThat(texts(backend.changes()))
                .containsExactly(
                        "ADD_ELEMENT [10/7]",
                        "REMOVE_ELEMENT 10/7",
                        "ADD_ELEMENT [10/7]",
                        "REMOVE_ELEMENT 10/7",
                        "ADD_ELEMENT [10/7]",
                        "ADD_ELEMENT [20/7]",
                        "ADD_ELEMENT [10/7]");
        assertThat(queue.size()).isEqualTo(2);
    }

    /** Its set is one of objects. */
    @Test
    void onTheHeapEachChangeIsMade() throws Exception {
        open(Delegate.HEAP);
        queue.add(timer(10, 7));
        queue.add(timer(10, 7));
        assertThat(texts(backend.changes()))
                .containsExactly("ADD_ELEMENT [10/7]", "ADD_ELEMENT [10/7]");
    }

    /** RocksDB may have it, or half of it. */
    @ParameterizedTest
    @ValueSource(strings = {"add", "remove"})
    void aChangeThatFailedEndsTheRow(String failing) throws Exception {
        open(Delegate.ROCKSDB);
        List<String> calls = new ArrayList<>();
        LoggedPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> broken =
                backend.states.queue("broken", TIMER, failingTo(failing, calls));
        Consumer<String> change =
                op -> {
                    if (op.equals("add")) {
                        broken.add(timer(10, 7));
                    } else {
                        broken.remove(timer(10, 7));
                    }
                };
        String other = failing.equals("add") ? "remove" : "add";
        change.accept(other);
        assertThatThrownBy(() -> change.accept(failing)).hasMessage("no space left");
        assertThatThrownBy(() -> change.accept(other))
                .as("no checkpoint has it any more")
                .isInstanceOf(IllegalStateException.class);
        assertThat(calls).containsExactly(other, failing, other);
    }

    @SuppressWarnings("unchecked")
    private static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>
            failingTo(String operation, List<String> calls) {
        return (KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>)
                Proxy.newProxyInstance(
                        RepeatedTimerTest.class.getClassLoader(),
                        new Class<?>[] {KeyGroupedInternalPriorityQueue.class},
                        (proxy, method, arguments) -> {
                            calls.add(method.getName());
                            if (method.getName().equals(operation)) {
                                throw new FlinkRuntimeException("no space left");
                            }
                            return true;
                        });
    }

    /** The base of the round has it. */
    @Test
    void aChangeMayRepeatOneOfTheRoundBefore() throws Exception {
        open(Delegate.ROCKSDB);
        queue.add(timer(10, 7));
        backend.log.take();
        backend.recorder.startNewRound();
        queue.add(timer(10, 7));
        assertThat(backend.log.take()).isEmpty();

        queue.add(timer(20, 7));
        assertThat(backend.log.take())
                .extracting(RecordedChange::isMetadata)
                .containsExactly(true, false);
    }

    /** With more timers than the queue keeps in memory, and most changes repeated. */
    @Test
    void answersAsFlinksQueueDoes(@TempDir Path other) throws Exception {
        open(Delegate.ROCKSDB);
        Set<String> replayed = new HashSet<>();
        Random random = new Random(52);
        try (PlainBackend<Integer> plain =
                new PlainBackend<>(Delegate.ROCKSDB.create(other, INTS))) {
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> flinks =
                    plain.queue("timers", TIMER);
            for (int i = 0; i < 20_000; i++) {
                TimerHeapInternalTimer<Integer, VoidNamespace> timer =
                        timer(random.nextInt(800), 7 + random.nextInt(2));
                boolean adds = random.nextInt(5) < 3;
                if (random.nextInt(10) == 0) {
                    timer = flinks.poll();
                    assertThat(queue.poll()).as("poll %s", i).isEqualTo(timer);
                    adds = false;
                }
                for (int times = random.nextInt(3); timer != null && times > 0; times--) {
                    boolean headChanged = adds ? flinks.add(timer) : flinks.remove(timer);
                    assertThat(adds ? queue.add(timer) : queue.remove(timer))
                            .as("change %s of %s", i, timer)
                            .isEqualTo(headChanged);
                }
                assertThat(queue.peek()).as("after change %s", i).isEqualTo(flinks.peek());
                for (RecordedChange change : backend.log.takeChanges()) {
                    replay(change, replayed);
                }
            }
            List<String> left = new ArrayList<>();
            while (!flinks.isEmpty()) {
                TimerHeapInternalTimer<Integer, VoidNamespace> head = flinks.poll();
                assertThat(queue.poll()).isEqualTo(head);
                left.add(head.getTimestamp() + "/" + head.getKey());
            }
            assertThat(queue.isEmpty()).isTrue();
            assertThat(replayed).containsExactlyInAnyOrderElementsOf(left);
            assertThat(left).hasSizeGreaterThan(300);
        }
    }

    /** The operator may change the key of an object and add it again. */
    @Test
    void theSameObjectWithAnotherKeyIsAnotherElement() throws Exception {
        open(Delegate.ROCKSDB);
        LoggedPriorityQueue<TimerHeapInternalTimer<StringBuilder, VoidNamespace>> probes =
                backend.queue(
                        "probes",
                        new TimerSerializer<>(
                                new ProbeSerializer(), VoidNamespaceSerializer.INSTANCE));
        TimerHeapInternalTimer<StringBuilder, VoidNamespace> timer =
                new TimerHeapInternalTimer<>(1L, new StringBuilder("a"), VoidNamespace.INSTANCE);
        probes.add(timer);
        timer.getKey().append("b");
        probes.add(timer);
        assertThat(probes.size()).isEqualTo(2);
        assertThat(backend.changes()).hasSize(2);
    }
}
