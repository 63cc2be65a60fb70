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

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** A call to one of the states, drawn by chance; it does the same to each backend it is run on. */
final class RandomOperation {
    private static final int KINDS = 24;

    private final int kind;
    private final int key;
    private final long namespace;
    private final long otherNamespace;
    private final int number;

    RandomOperation(Random random) {
        kind = random.nextInt(KINDS);
        key = random.nextInt(EveryState.KEYS);
        namespace = random.nextInt((int) EveryState.NAMESPACES);
        otherNamespace = (namespace + 1) % EveryState.NAMESPACES;
        number = random.nextInt(8);
    }

    void run(EveryState states) throws Exception {
        states.enter(key, namespace);
        if (kind < 3) {
            changeValue(states);
        } else if (kind < 9) {
            changeList(states);
        } else if (kind < 16) {
            changeMap(states);
        } else if (kind < 20) {
            fold(states);
        } else {
            changeQueue(states);
        }
    }

    private void changeValue(EveryState states) throws Exception {
        switch (kind) {
            case 0:
                states.value.update("v" + number);
                break;
            case 1:
                states.value.update(null);
                break;
            default:
                states.value.clear();
        }
    }

    private void changeList(EveryState states) throws Exception {
        switch (kind) {
            case 3:
                states.list.add("e" + number);
                break;
            case 4:
                states.list.addAll(texts());
                break;
            case 5:
                states.list.update(texts());
                break;
            case 6:
                states.list.updateInternal(texts());
                break;
            case 7:
                states.list.mergeNamespaces(namespace, List.of(otherNamespace));
                break;
            default:
                states.list.clear();
        }
    }

    private void changeMap(EveryState states) throws Exception {
        switch (kind) {
            case 9:
            case 10:
                states.map.put("k" + number, (long) number);
                break;
            case 11:
                states.map.put("k" + number, null);
                break;
            case 12:
                states.map.putAll(new TreeMap<>(Map.of("k1", 10L, "k" + (2 + number), 20L)));
                break;
            case 13:
                states.map.remove("k" + number);
                break;
            case 14:
                changeMapThroughIterators(states);
                break;
            default:
                states.map.clear();
        }
    }

    private void changeMapThroughIterators(EveryState states) throws Exception {
        for (Map.Entry<String, Long> entry : states.map.entries()) {
            entry.setValue(entry.getValue() == null ? null : entry.getValue() + number);
        }
        Iterator<String> keys = states.map.keys().iterator();
        while (keys.hasNext()) {
            if (keys.next().equals("k" + number)) {
                keys.remove();
            }
        }
    }

    private void fold(EveryState states) throws Exception {
        switch (kind) {
            case 16:
                states.reducing.add((long) number);
                break;
            case 17:
                states.aggregating.add(number);
                break;
            case 18:
                states.reducing.mergeNamespaces(namespace, List.of(otherNamespace));
                break;
            default:
                states.aggregating.mergeNamespaces(namespace, List.of(otherNamespace));
        }
    }

    private void changeQueue(EveryState states) {
        switch (kind) {
            case 20:
                states.queue.add(timer(number));
                break;
            case 21:
                states.queue.addAll(List.of(timer(number), timer((number + 3) % 8)));
                break;
            case 22:
                states.queue.remove(timer(number));
                break;
            default:
                states.queue.poll();
        }
    }

    static TimerHeapInternalTimer<Integer, VoidNamespace> timer(int time) {
        // One key per time, so that no two timers are equally urgent.
        return new TimerHeapInternalTimer<>(time, time % EveryState.KEYS, VoidNamespace.INSTANCE);
    }

    private List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (int i = 1; i < number; i++) {
            texts.add("t" + i);
        }
        return texts;
    }

    @Override
    public String toString() {
        return "operation " + kind + " of key " + key + " namespace " + namespace + ": " + number;
    }
}
