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
package io.dstl.registry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The rules of {@link SegmentRegistry} once more, as sets that are searched from end to end at each
 * step: slow, and plain enough to be believed.
 */
final class RegistryModel {

    final Set<String> handedOver = new HashSet<>();
    final Set<String> deleted = new HashSet<>();
    final Set<String> leftBehind = new HashSet<>();

    /** References by segment; a segment that is not tracked any more has no entry. */
    private final Map<String, Integer> tracked = new LinkedHashMap<>();

    private final Map<CheckpointPin, Set<String>> pins = new HashMap<>();
    private final Set<WriterId> closedWriters = new HashSet<>();
    private final Map<String, Long> lastListed = new HashMap<>();
    private long lastConfirmed = -1;

    int live() {
        return tracked.size();
    }

    Collection<CheckpointPin> pins() {
        return pins.keySet();
    }

    boolean isNeeded(String segment) {
        return tracked.getOrDefault(segment, 0) > 0
                || pins.values().stream().anyMatch(pinned -> pinned.contains(segment));
    }

    boolean mayPin(CheckpointPin pin, Collection<String> segments) {
        return segments.stream()
                .noneMatch(
                        segment ->
                                lastListed.containsKey(segment)
                                        && lastListed.get(segment) < lastConfirmed
                                        && lastConfirmed < pin.checkpointId());
    }

    void register(String segment, int references) {
        tracked.put(segment, references);
    }

    void release(String segment) {
        tracked.merge(segment, -1, Integer::sum);
        sweep();
    }

    void pin(CheckpointPin pin, Collection<String> segments) {
        pins.computeIfAbsent(pin, p -> new HashSet<>()).addAll(segments);
        segments.forEach(segment -> lastListed.merge(segment, pin.checkpointId(), Math::max));
    }

    void confirm(CheckpointPin pin) {
        if (!isOpenPin(pin)) {
            return;
        }
        lastConfirmed = Math.max(lastConfirmed, pin.checkpointId());
        for (String segment :
                take(
                        other ->
                                other.checkpointId() <= pin.checkpointId()
                                        && (other.writer().equals(pin.writer())
                                                || closedWriters.contains(other.writer())))) {
            handedOver.add(segment);
        }
        handedOver.removeAll(leftBehind);
        sweep();
    }

    void abort(CheckpointPin pin) {
        if (isOpenPin(pin)) {
            take(pin::equals);
            sweep();
        }
    }

    void closeWriter(WriterId writer) {
        closedWriters.add(writer);
    }

    void restored(long checkpointId) {
        take(pin -> closedWriters.contains(pin.writer()) && pin.checkpointId() > checkpointId);
        sweep();
        for (String segment : take(pin -> closedWriters.contains(pin.writer()))) {
            if (!handedOver.contains(segment)) {
                leftBehind.add(segment);
            }
        }
        sweep();
    }

    void close() {
        for (String segment : tracked.keySet()) {
            if (isOwned(segment)) {
                boolean pinned = pins.values().stream().anyMatch(set -> set.contains(segment));
                (pinned ? leftBehind : deleted).add(segment);
            }
        }
        tracked.clear();
    }

    private boolean isOpenPin(CheckpointPin pin) {
        return pins.containsKey(pin) && !closedWriters.contains(pin.writer());
    }

    private boolean isOwned(String segment) {
        return !handedOver.contains(segment) && !leftBehind.contains(segment);
    }

    private Set<String> take(Predicate<CheckpointPin> which) {
        Set<String> taken = new HashSet<>();
        for (CheckpointPin pin : new ArrayList<>(pins.keySet())) {
            if (which.test(pin)) {
                taken.addAll(pins.remove(pin));
            }
        }
        return taken;
    }

    private void sweep() {
        List<String> unneeded = new ArrayList<>(tracked.keySet());
        unneeded.removeIf(this::isNeeded);
        for (String segment : unneeded) {
            tracked.remove(segment);
            if (isOwned(segment)) {
                deleted.add(segment);
            }
        }
    }
}
