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
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which segments each checkpoint in flight refers to, by writer; and, as <i>orphaned pins</i>,
 * those of writers that have closed meanwhile.
 *
 * <p>A segment is pinned once by each pin that lists it. The {@code take} methods remove pins and
 * return each segment as often as it was pinned: what that means to it, the {@link SegmentRegistry}
 * decides, whose lock guards this table.
 */
final class PinTable {

    private final Map<WriterId, NavigableMap<Long, Set<TrackedSegment>>> pinsByWriter =
            new HashMap<>();
    private final NavigableMap<Long, List<TrackedSegment>> orphanedPins = new TreeMap<>();

    void openWriter(WriterId writer) {
        if (pinsByWriter.putIfAbsent(writer, new TreeMap<>()) != null) {
            throw new IllegalStateException("Writer " + writer + " is open already");
        }
    }

    /** The writer's pins stay, as orphaned ones. */
    void closeWriter(WriterId writer) {
        pinsOf(writer)
                .forEach(
                        (checkpointId, segments) ->
                                orphanedPins
                                        .computeIfAbsent(checkpointId, id -> new ArrayList<>())
                                        .addAll(segments));
        pinsByWriter.remove(writer);
    }

    /** Pins the segments that this pin does not list yet. */
    void add(CheckpointPin pin, Collection<TrackedSegment> segments) {
        Set<TrackedSegment> pinned =
                pinsOf(pin.writer())
                        .computeIfAbsent(pin.checkpointId(), id -> new LinkedHashSet<>());
        for (TrackedSegment segment : segments) {
            if (pinned.add(segment)) {
                segment.pin(pin.checkpointId());
            }
        }
    }

    boolean holds(CheckpointPin pin) {
        return pinsByWriter
                .getOrDefault(pin.writer(), Collections.emptyNavigableMap())
                .containsKey(pin.checkpointId());
    }

    /** The pin, if held. */
    List<TrackedSegment> take(CheckpointPin pin) {
        if (!holds(pin)) {
            return Collections.emptyList();
        }
        return new ArrayList<>(pinsOf(pin.writer()).remove(pin.checkpointId()));
    }

    /** The pins of this writer up to this checkpoint, inclusive. */
    List<TrackedSegment> takeUpTo(CheckpointPin pin) {
        return drain(pinsOf(pin.writer()).headMap(pin.checkpointId(), true));
    }

    /** The orphaned pins up to this checkpoint, inclusive. */
    List<TrackedSegment> takeOrphanedUpTo(long checkpointId) {
        return drain(orphanedPins.headMap(checkpointId, true));
    }

    /** The orphaned pins of higher checkpoints than this one. */
    List<TrackedSegment> takeOrphanedAbove(long checkpointId) {
        return drain(orphanedPins.tailMap(checkpointId, false));
    }

    private NavigableMap<Long, Set<TrackedSegment>> pinsOf(WriterId writer) {
        NavigableMap<Long, Set<TrackedSegment>> pins = pinsByWriter.get(writer);
        if (pins == null) {
            throw new IllegalStateException("Writer " + writer + " is not open");
        }
        return pins;
    }

    private static List<TrackedSegment> drain(
            NavigableMap<Long, ? extends Collection<TrackedSegment>> pins) {
        List<TrackedSegment> drained = new ArrayList<>();
        pins.values().forEach(drained::addAll);
        pins.clear();
        return drained;
    }
}
