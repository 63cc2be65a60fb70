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

import io.dstl.changelog.state.ScenarioTarget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** Calls of user code in random order: few keys and namespaces, so that changes meet. */
final class RandomChanges {
    private static final int NAMESPACES = 4;

    private final ScenarioTarget target;
    private final EveryState states;
    private final List<Integer> keys;
    private final Random random;

    /**
     * @param keys the ones to change; of the backend's key groups
     */
    RandomChanges(ScenarioTarget target, EveryState states, List<Integer> keys, Random random) {
        this.target = target;
        this.states = states;
        this.keys = keys;
        this.random = random;
    }

    void next() throws Exception {
        int key = keys.get(random.nextInt(keys.size()));
        target.setCurrentKey(key);
        long namespace = random.nextInt(NAMESPACES);
        switch (random.nextInt(7)) {
            case 0:
                changeValue(namespace);
                break;
            case 1:
                changeTimed(namespace);
                break;
            case 2:
                changeList(namespace);
                break;
            case 3:
                changeMap(namespace);
                break;
            case 4:
                changeReducing(namespace);
                break;
            case 5:
                changeAggregating(namespace);
                break;
            default:
                changeTimers(key, namespace);
        }
    }

    private void changeValue(long namespace) throws Exception {
        states.value.setCurrentNamespace(namespace);
        switch (random.nextInt(5)) {
            case 0:
                states.value.clear();
                break;
            case 1:
                states.value.update(null);
                break;
            default:
                states.value.update(text());
        }
    }

    private void changeTimed(long namespace) throws Exception {
        states.timed.setCurrentNamespace(namespace);
        if (random.nextInt(5) == 0) {
            states.timed.clear();
        } else {
            states.timed.update(new TtlValue<>(text(), random.nextInt(1000)));
        }
    }

    private void changeList(long namespace) throws Exception {
        states.list.setCurrentNamespace(namespace);
        switch (random.nextInt(7)) {
            case 0:
                states.list.clear();
                break;
            case 1:
                states.list.update(texts(1));
                break;
            case 2:
                states.list.updateInternal(texts(1));
                break;
            case 3:
                states.list.addAll(texts(0));
                break;
            case 4:
                merge(states.list, namespace);
                break;
            default:
                states.list.add(text());
        }
    }

    private void changeMap(long namespace) throws Exception {
        states.map.setCurrentNamespace(namespace);
        switch (random.nextInt(8)) {
            case 0:
                states.map.clear();
                break;
            case 1:
                states.map.putAll(new TreeMap<>(Map.of(entryKey(), number(), "always", number())));
                break;
            case 2:
                states.map.remove(entryKey());
                break;
            case 3:
                removeFirst(states.map.iterator());
                break;
            case 4:
                removeFirst(states.map.values().iterator());
                break;
            case 5:
                setFirst();
                break;
            default:
                states.map.put(entryKey(), number());
        }
    }

    private static void removeFirst(Iterator<?> iterator) {
        if (iterator.hasNext()) {
            iterator.next();
            iterator.remove();
        }
    }

    private void setFirst() throws Exception {
        Iterator<Map.Entry<String, Long>> entries = states.map.entries().iterator();
        if (entries.hasNext()) {
            entries.next().setValue(number());
        }
    }

    private void changeReducing(long namespace) throws Exception {
        states.reducing.setCurrentNamespace(namespace);
        switch (random.nextInt(6)) {
            case 0:
                states.reducing.clear();
                break;
            case 1:
                states.reducing.updateInternal(number());
                break;
            case 2:
                merge(states.reducing, namespace);
                break;
            default:
                states.reducing.add(number());
        }
    }

    private void changeAggregating(long namespace) throws Exception {
        states.aggregating.setCurrentNamespace(namespace);
        switch (random.nextInt(6)) {
            case 0:
                states.aggregating.clear();
                break;
            case 1:
                states.aggregating.updateInternal(number());
                break;
            case 2:
                merge(states.aggregating, namespace);
                break;
            default:
                states.aggregating.add(random.nextInt(100));
        }
    }

    private void changeTimers(int key, long namespace) {
        TimerHeapInternalTimer<Integer, Long> timer =
                new TimerHeapInternalTimer<>(random.nextInt(20), key, namespace);
        switch (random.nextInt(6)) {
            case 0:
                fireTimer();
                break;
            case 1:
                states.timers.remove(timer);
                break;
            case 2:
                states.timers.addAll(
                        List.of(timer, new TimerHeapInternalTimer<>(21, key, namespace)));
                break;
            default:
                states.timers.add(timer);
        }
    }

    /** As Flink's timer service does it: the key first, which decides where the poll is logged. */
    private void fireTimer() {
        TimerHeapInternalTimer<Integer, Long> timer = states.timers.peek();
        if (timer != null) {
            target.setCurrentKey(timer.getKey());
            states.timers.poll();
        }
    }

    /** Merges one or two other namespaces into this one, as session windows are merged. */
    private void merge(InternalMergingState<Integer, Long, ?, ?, ?> state, long target)
            throws Exception {
        List<Long> sources = new ArrayList<>();
        for (long namespace = 0; namespace < NAMESPACES; namespace++) {
            if (namespace != target) {
                sources.add(namespace);
            }
        }
        Collections.shuffle(sources, random);
        state.mergeNamespaces(target, sources.subList(0, 1 + random.nextInt(2)));
    }

    private String text() {
        return "text " + random.nextInt(1000);
    }

    private List<String> texts(int least) {
        List<String> texts = new ArrayList<>();
        for (int left = least + random.nextInt(4); left > 0; left--) {
            texts.add(text());
        }
        return texts;
    }

    private String entryKey() {
        return "entry " + random.nextInt(5);
    }

    private long number() {
        return random.nextInt(1000);
    }
}
