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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

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

    /** The checkpoints that have listed a segment, and those in between. */
    private final Map<String, Set<Long>> listedBy = new HashMap<>();

    private final Set<CheckpointPin> pins = new HashSet<>();
    private final Set<Long> unheard = new HashSet<>();
    private final Set<Long> failed = new HashSet<>();

    private final Set<String> outlived = new HashSet<>();

    /** Of the open writers that have pinned or been restored. */
    private final Map<WriterId, Long> witnessSince = new HashMap<>();

    private long lastConfirmed = -1;

    int live() {
        return tracked.size();
    }

    /** Of open writers. */
    Collection<CheckpointPin> pins() {
        return pins;
    }

    boolean isReferenced(String segment) {
        return tracked.getOrDefault(segment, 0) > 0;
    }

    boolean mayPin(CheckpointPin pin, Collection<String> segments) {
        return segments.stream()
                .noneMatch(
                        segment ->
                                !listedBy(segment).isEmpty()
                                        && Collections.max(listedBy(segment)) < lastConfirmed
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
        pins.add(pin);
        if (!failed.contains(pin.checkpointId()) && pin.checkpointId() >= lastConfirmed) {
            unheard.add(pin.checkpointId());
        }
        witnessSince.putIfAbsent(pin.writer(), pin.checkpointId() - 1);
        for (String segment : segments) {
            outlived.remove(segment);
            Set<Long> listing = listedBy.computeIfAbsent(segment, s -> new HashSet<>());
            listing.add(pin.checkpointId());
            long last = Collections.max(listing);
            for (long id = Collections.min(listing); id < last; id++) {
                listing.add(id);
            }
        }
    }

    void confirm(CheckpointPin pin) {
        handOverListedBy(pin.checkpointId());
        if (unheard.remove(pin.checkpointId())) {
            if (pin.checkpointId() > lastConfirmed) {
                handOverUnheardUpTo(lastConfirmed);
                lastConfirmed = pin.checkpointId();
                failed.removeIf(id -> id < lastConfirmed);
            }
            outlive(pin.checkpointId(), pin.writer());
        }
    }

    void abort(CheckpointPin pin) {
        unheard.remove(pin.checkpointId());
        failed.add(pin.checkpointId());
    }

    void subsumed(WriterId witness, long checkpointId) {
        handOverUnheardUpTo(checkpointId);
        outlive(checkpointId + 1, witness);
        for (String segment : new ArrayList<>(tracked.keySet())) {
            if (outlived.contains(segment)
                    && !isReferenced(segment)
                    && listedBy(segment).stream().allMatch(id -> id <= checkpointId)) {
                tracked.remove(segment);
                deleted.add(segment);
            }
        }
    }

    void restored(WriterId writer, long checkpointId) {
        witnessSince.put(writer, checkpointId);
        handOverListedBy(checkpointId);
        handOverUnheardUpTo(checkpointId);
        unheard.clear();
    }

    void closeWriter(WriterId writer) {
        witnessSince.remove(writer);
        pins.removeIf(pin -> pin.writer().equals(writer));
    }

    void close() {
        for (String segment : tracked.keySet()) {
            if (!handedOver.contains(segment)) {
                (listedBy(segment).isEmpty() ? deleted : leftBehind).add(segment);
            }
        }
        tracked.clear();
    }

    private void outlive(long checkpointId, WriterId witness) {
        Long since = witnessSince.get(witness);
        for (String segment : tracked.keySet()) {
            if (since != null
                    && listedBy(segment).stream().allMatch(id -> since < id && id < checkpointId)) {
                outlived.add(segment);
            }
        }
    }

    private Set<Long> listedBy(String segment) {
        return listedBy.getOrDefault(segment, Collections.emptySet());
    }

    private void handOverUnheardUpTo(long checkpointId) {
        for (long id : new ArrayList<>(unheard)) {
            if (id <= checkpointId) {
                handOverListedBy(id);
                unheard.remove(id);
            }
        }
    }

    private void handOverListedBy(long checkpointId) {
        for (String segment : tracked.keySet()) {
            if (listedBy(segment).contains(checkpointId)) {
                handedOver.add(segment);
            }
        }
        sweep();
    }

    /** What no log needs any more, but for what a handle lists that may be needed. */
    private void sweep() {
        for (String segment : new ArrayList<>(tracked.keySet())) {
            if (!isReferenced(segment)) {
                if (handedOver.contains(segment)) {
                    tracked.remove(segment);
                } else if (listedBy(segment).isEmpty()) {
                    tracked.remove(segment);
                    deleted.add(segment);
                }
            }
        }
    }
}
