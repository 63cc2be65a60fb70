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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The windows of each key, and what each must contain when it fires. */
public final class Windows {

    public static final long SLIDE = Script.ROUND_MILLIS;
    public static final long SIZE = 3 * SLIDE;

    /**
     * More than lies between the first event of a round and its third, less than between the first
     * and the second: the third merges two sessions.
     */
    public static final long GAP = 40;

    private Windows() {}

    /** How windows come about. */
    public enum Kind {
        SLIDING,
        SESSION
    }

    /** How the name of a window reads. */
    public static String name(String key, long start, long end) {
        return key + "[" + start + "," + end + ")";
    }

    public static String keyOf(String name) {
        return name.substring(0, name.indexOf('['));
    }

    /** The windows that fire in the rounds, with the ordinals of their events, sorted. */
    public static Map<String, List<Long>> fired(
            Kind kind, List<String> keys, int firstRound, int endRound) {
        Map<String, List<Long>> fired = new LinkedHashMap<>();
        for (String key : keys) {
            for (Window window : all(kind, key, endRound)) {
                int firesIn = Script.roundOf(window.end - 1);
                if (firesIn >= firstRound && firesIn < endRound) {
                    fired.put(name(key, window.start, window.end), window.sortedOrdinals());
                }
            }
        }
        return fired;
    }

    private static List<Window> all(Kind kind, String key, int endRound) {
        List<Event> events = Script.history(key, Script.ordinalBefore(key, endRound));
        return kind == Kind.SLIDING ? sliding(events) : sessions(events);
    }

    private static List<Window> sliding(List<Event> events) {
        Map<Long, Window> windows = new TreeMap<>();
        for (Event event : events) {
            long last = event.timestamp - event.timestamp % SLIDE;
            for (long start = last; start > event.timestamp - SIZE; start -= SLIDE) {
                windows.computeIfAbsent(start, from -> new Window(from, from + SIZE))
                        .ordinals
                        .add(event.ordinal);
            }
        }
        return new ArrayList<>(windows.values());
    }

    private static List<Window> sessions(List<Event> events) {
        List<Event> byTime =
                events.stream()
                        .sorted((one, other) -> Long.compare(one.timestamp, other.timestamp))
                        .collect(Collectors.toList());
        List<Window> sessions = new ArrayList<>();
        Window open = null;
        for (Event event : byTime) {
            if (open == null || open.end < event.timestamp) {
                open = new Window(event.timestamp, event.timestamp);
                sessions.add(open);
            }
            open.end = event.timestamp + GAP;
            open.ordinals.add(event.ordinal);
        }
        return sessions;
    }

    private static final class Window {
        private final long start;
        private long end;
        private final List<Long> ordinals = new ArrayList<>();

        Window(long start, long end) {
            this.start = start;
            this.end = end;
        }

        List<Long> sortedOrdinals() {
            return ordinals.stream().sorted().collect(Collectors.toList());
        }
    }
}
