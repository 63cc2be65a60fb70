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
package io.dstl.parity.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The input of a job: a function of lane and round, so that what any state must be can be computed
 * in any process, at any parallelism and after any restore.
 *
 * <p>A lane is the part of the input that stays in order; a key belongs to one lane. In each round
 * a key has up to three events, the second and third out of order, and one pulse. A round's events
 * have its timestamps; the watermark then passes its end.
 */
public final class Script {

    public static final int LANES = 8;
    public static final int ROUND_MILLIS = 100;

    private static final int KEYS_PER_LANE = 3;
    private static final int[] OFFSETS = {10, 80, 45};
    private static final int PULSE_OFFSET = 90;

    private Script() {}

    public static List<String> keys() {
        return IntStream.range(0, LANES)
                .boxed()
                .flatMap(lane -> keys(lane).stream())
                .collect(Collectors.toList());
    }

    private static List<String> keys(int lane) {
        return IntStream.range(0, KEYS_PER_LANE)
                .mapToObj(i -> "key-" + lane + "-" + i)
                .collect(Collectors.toList());
    }

    static int laneOf(String key) {
        return Integer.parseInt(key.split("-")[1]);
    }

    /** What a lane sends in a round, in this order. */
    public static List<Event> events(int lane, int round) {
        List<Event> events = new ArrayList<>();
        for (String key : keys(lane)) {
            events.addAll(events(key, round));
            long next = ordinalBefore(key, round + 1);
            events.add(new Event(key, next, startOf(round) + PULSE_OFFSET, true));
        }
        return events;
    }

    /** The key's events of a round, without the pulse. */
    public static List<Event> events(String key, int round) {
        List<Event> events = new ArrayList<>();
        long ordinal = ordinalBefore(key, round);
        for (int i = 0; i < count(key, round); i++) {
            events.add(new Event(key, ordinal++, startOf(round) + OFFSETS[i], false));
        }
        return events;
    }

    /** The key's events with ordinals below the given one. */
    public static List<Event> history(String key, long ordinal) {
        List<Event> history = new ArrayList<>();
        for (int round = 0; history.size() < ordinal; round++) {
            history.addAll(events(key, round));
        }
        return history.subList(0, (int) ordinal);
    }

    /** How many events the key has before the round. */
    public static long ordinalBefore(String key, int round) {
        return IntStream.range(0, round).map(r -> count(key, r)).sum();
    }

    private static int count(String key, int round) {
        return chance(OFFSETS.length + 1, key, round);
    }

    public static int roundOf(long timestamp) {
        return (int) (timestamp / ROUND_MILLIS);
    }

    public static long startOf(int round) {
        return (long) round * ROUND_MILLIS;
    }

    /** The last timestamp of a round, and the watermark after it. */
    public static long endOf(int round) {
        return startOf(round + 1) - 1;
    }

    /** When states are audited: after all other timers of the round. */
    public static long auditTimeOf(int round) {
        return endOf(round) - 1;
    }

    /** A number from 0 to bound, exclusive, which depends on the rest alone. */
    public static int chance(int bound, Object... of) {
        long hash = 0x9E3779B97F4A7C15L;
        for (Object each : of) {
            hash = (hash ^ each.hashCode()) * 0xBF58476D1CE4E5B9L;
            hash ^= hash >>> 29;
        }
        return (int) Long.remainderUnsigned(hash, bound);
    }
}
