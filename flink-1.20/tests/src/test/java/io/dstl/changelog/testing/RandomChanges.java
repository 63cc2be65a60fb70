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
package io.dstl.changelog.testing;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Calls of user code in random order: few keys and namespaces, so that changes meet. What is drawn
 * does not depend on what the states hold: with the same seed the same is done to any backend.
 */
public final class RandomChanges {
    private static final int NAMESPACES = 4;

    private final EveryState states;
    private final StateTarget<Integer> target;
    private final List<Integer> keys;
    private final Random random;
    private final List<List<ThrowingRunnable<Exception>>> kinds;
    private boolean nulls = true;

    /**
     * @param keys the ones to change; of the backend's key groups
     */
    public RandomChanges(StateTarget<Integer> target, List<Integer> keys, Random random)
            throws Exception {
        this(target, new EveryState(target), keys, random);
    }

    public RandomChanges(
            StateTarget<Integer> target, EveryState states, List<Integer> keys, Random random) {
        this.target = target;
        this.states = states;
        this.keys = keys;
        this.random = random;
        this.kinds =
                List.of(
                        ofValue(),
                        ofTimed(),
                        ofList(),
                        ofMap(),
                        ofReducing(),
                        ofAggregating(),
                        ofTimers());
    }

    /** For a backend that cannot log null as the value of a map's entry, as Flink's own. */
    public RandomChanges withoutNulls() {
        nulls = false;
        return this;
    }

    /** That are changed. */
    public EveryState states() {
        return states;
    }

    public void next() throws Exception {
        states.enter(any(keys), namespace());
        any(any(kinds)).run();
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private List<ThrowingRunnable<Exception>> ofValue() {
        return List.of(
                states.value::clear,
                () -> states.value.update(null),
                () -> states.value.update(text()),
                () -> states.value.update(text()),
                () -> states.value.update(text()));
    }

    private List<ThrowingRunnable<Exception>> ofTimed() {
        ThrowingRunnable<Exception> update =
                () -> states.timed.update(new TtlValue<>(text(), random.nextInt(1000)));
        return List.of(states.timed::clear, update, update, update, update);
    }

    private List<ThrowingRunnable<Exception>> ofList() {
        return List.of(
                states.list::clear,
                () -> states.list.update(texts()),
                () -> states.list.updateInternal(texts()),
                () -> states.list.addAll(texts()),
                () -> merge(states.list),
                () -> states.list.add(text()),
                () -> states.list.add(text()));
    }

    private List<ThrowingRunnable<Exception>> ofMap() {
        return List.of(
                states.map::clear,
                () -> states.map.putAll(new TreeMap<>(Map.of(entry(), number(), "also", number()))),
                () -> states.map.remove(entry()),
                () -> removeIf(states.map.keys().iterator(), Predicate.isEqual(entry())),
                () -> removeIf(states.map.values().iterator(), isOfHalf(random.nextInt(2))),
                () -> replaceAll(number()),
                () -> states.map.put(entry(), number()),
                () -> states.map.put(entry(), number()),
                () -> states.map.put(entry(), nulls ? null : (Long) number()));
    }

    private static Predicate<Long> isOfHalf(int half) {
        return value -> value != null && value % 2 == half;
    }

    private static <T> void removeIf(Iterator<T> iterator, Predicate<? super T> condition) {
        while (iterator.hasNext()) {
            if (condition.test(iterator.next())) {
                iterator.remove();
            }
        }
    }

    private void replaceAll(long number) throws Exception {
        for (Map.Entry<String, Long> entry : states.map.entries()) {
            entry.setValue(entry.getValue() == null ? null : (Long) number);
        }
    }

    private List<ThrowingRunnable<Exception>> ofReducing() {
        return List.of(
                states.reducing::clear,
                () -> states.reducing.updateInternal(number()),
                () -> merge(states.reducing),
                () -> states.reducing.add(number()),
                () -> states.reducing.add(number()),
                () -> states.reducing.add(number()));
    }

    private List<ThrowingRunnable<Exception>> ofAggregating() {
        return List.of(
                states.aggregating::clear,
                () -> states.aggregating.updateInternal(number()),
                () -> merge(states.aggregating),
                () -> states.aggregating.add(random.nextInt(100)),
                () -> states.aggregating.add(random.nextInt(100)),
                () -> states.aggregating.add(random.nextInt(100)));
    }

    private List<ThrowingRunnable<Exception>> ofTimers() {
        return List.of(
                this::fireTimer,
                () -> states.timers.remove(timer(random.nextInt(20))),
                () -> addTwoTimers(random.nextInt(20)),
                () -> states.timers.add(timer(random.nextInt(20))),
                () -> states.timers.add(timer(random.nextInt(20))),
                () -> states.timers.add(timer(random.nextInt(20))));
    }

    private void addTwoTimers(int time) {
        states.timers.addAll(List.of(timer(time), timer(time + keys.size())));
    }

    /** As Flink's timer service does it: the key first, which decides where the poll is logged. */
    private void fireTimer() {
        TimerHeapInternalTimer<Integer, Long> timer = states.timers.peek();
        if (timer != null) {
            target.setCurrentKey(timer.getKey());
            states.timers.poll();
        }
    }

    /** Enters its key, which is one for each time: no two timers are equally urgent. */
    private TimerHeapInternalTimer<Integer, Long> timer(int time) {
        int key = keys.get(time % keys.size());
        target.setCurrentKey(key);
        return new TimerHeapInternalTimer<>(time, key, (long) time % NAMESPACES);
    }

    /** Merges one or two other namespaces into one, as session windows are merged. */
    private void merge(InternalMergingState<Integer, Long, ?, ?, ?> state) throws Exception {
        List<Long> all = LongStream.range(0, NAMESPACES).boxed().collect(Collectors.toList());
        Collections.shuffle(all, random);
        state.mergeNamespaces(all.get(0), all.subList(1, 2 + random.nextInt(2)));
    }

    private long namespace() {
        return random.nextInt(NAMESPACES);
    }

    private String text() {
        return "text " + random.nextInt(1000);
    }

    /** Up to three. */
    private List<String> texts() {
        return Stream.generate(this::text).limit(random.nextInt(4)).collect(Collectors.toList());
    }

    private String entry() {
        return "entry " + random.nextInt(5);
    }

    private long number() {
        return random.nextInt(1000);
    }
}
