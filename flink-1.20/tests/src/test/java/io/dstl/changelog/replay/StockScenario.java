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

import io.dstl.changelog.testing.EveryState;
import io.dstl.changelog.testing.RandomChanges;
import io.dstl.changelog.testing.StateTarget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/**
 * What the logs under {@code io/dstl/changelog/replay/stock} hold: random changes of each kind of
 * state, merges of namespaces as the last thing that happened to a key, and timers of other keys
 * than the current one.
 */
public final class StockScenario {
    private static final int CHANGES = 150;

    private final StateTarget<Integer> target;
    private final EveryState states;
    private final List<Integer> keys;
    private final RandomChanges changes;

    public StockScenario(StateTarget<Integer> target, KeyGroupRange keyGroups) throws Exception {
        this.target = target;
        this.states = new EveryState(target);
        this.keys = keysIn(keyGroups);
        this.changes =
                new RandomChanges(
                                target,
                                states,
                                keys.subList(1, keys.size()),
                                new Random(keyGroups.getStartKeyGroup()))
                        .withoutNulls();
    }

    private static List<Integer> keysIn(KeyGroupRange keyGroups) {
        return IntStream.range(0, 24)
                .filter(key -> keyGroups.contains(HandWrittenLog.keyGroup(key)))
                .boxed()
                .collect(Collectors.toList());
    }

    /** All that the changes have come to; to be called last. */
    public List<String> content(KeyedStateBackend<Integer> backend) throws Exception {
        return states.content(backend);
    }

    /** The changes between two checkpoints. */
    public void makeChanges() throws Exception {
        for (int i = 0; i < CHANGES; i++) {
            changes.next();
        }
        makeMerges();
        addTimersOfOtherKeys();
    }

    /** As timers are added that an operator restores itself: under whatever key is current. */
    private void addTimersOfOtherKeys() {
        target.setCurrentKey(keys.get(0));
        List<TimerHeapInternalTimer<Integer, Long>> timers = new ArrayList<>();
        for (int key : keys) {
            timers.add(new TimerHeapInternalTimer<>(1000 + key, key, 0L));
        }
        states.timers.addAll(timers);
    }

    private void makeMerges() throws Exception {
        target.setCurrentKey(keys.get(0));
        for (long namespace = 1; namespace <= 3; namespace++) {
            states.list.setCurrentNamespace(namespace);
            states.list.add("of namespace " + namespace);
            states.reducing.setCurrentNamespace(namespace);
            states.reducing.add(namespace);
            states.aggregating.setCurrentNamespace(namespace);
            states.aggregating.add((int) namespace);
        }
        List<Long> sources = Arrays.asList(2L, 3L);
        states.list.mergeNamespaces(1L, sources);
        states.reducing.mergeNamespaces(1L, sources);
        states.aggregating.mergeNamespaces(1L, sources);
    }
}
