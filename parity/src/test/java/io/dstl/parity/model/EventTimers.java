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

import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * The event-time timers of a key: each event sets one that fires two rounds later, and may delete
 * the one before, which has not fired by then.
 */
public final class EventTimers {

    private EventTimers() {}

    /** When the timer of an event fires: before the audit of its round. */
    public static long timeOf(Event event) {
        return Script.startOf(event.round() + 2) + 50 + event.ordinal % 30;
    }

    /** The timer that an event deletes. */
    public static OptionalLong deletedBy(Event event) {
        if (event.ordinal == 0 || Script.chance(3, "timer", event.key, event.ordinal) > 0) {
            return OptionalLong.empty();
        }
        List<Event> history = Script.history(event.key, event.ordinal);
        Event before = history.get(history.size() - 1);
        return event.round() - before.round() <= 1
                ? OptionalLong.of(timeOf(before))
                : OptionalLong.empty();
    }

    /** The timers that have fired up to the time, inclusive. */
    public static TreeSet<Long> fired(String key, long ordinal, long time) {
        TreeSet<Long> timers = new TreeSet<>();
        for (Event event : Script.history(key, ordinal)) {
            deletedBy(event).ifPresent(timers::remove);
            timers.add(timeOf(event));
        }
        return new TreeSet<>(timers.headSet(time, true));
    }
}
