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
package io.dstl.e2e.flights.source;

import io.dstl.e2e.flights.input.RowPosition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The lanes of one reader and where each of them goes on. For one thread. */
final class ReaderLanes {
    private final Map<Integer, Lane> lanes = new TreeMap<>();

    void add(Collection<Lane> added) {
        added.forEach(this::add);
    }

    private void add(Lane lane) {
        Lane present = lanes.putIfAbsent(lane.number(), lane);
        if (present != null) {
            throw new IllegalStateException("got " + lane + " beside " + present);
        }
    }

    boolean isEmpty() {
        return lanes.isEmpty();
    }

    /** Where the lane that is furthest behind goes on; there must be a lane. */
    RowPosition first() {
        return lanes.values().stream()
                .map(Lane::next)
                .min(Comparator.naturalOrder())
                .orElseThrow(() -> new IllegalStateException("a reader without lanes"));
    }

    /** Whether the row at {@code position}, of lane {@code number}, is still to be emitted here. */
    boolean wants(int number, RowPosition position) {
        Lane lane = lanes.get(number);
        return lane != null && lane.next().compareTo(position) <= 0;
    }

    /** The lanes as they stand when every row before {@code position} has been emitted. */
    List<Lane> at(RowPosition position) {
        List<Lane> result = new ArrayList<>(lanes.size());
        for (Lane lane : lanes.values()) {
            boolean behind = lane.next().compareTo(position) < 0;
            result.add(behind ? new Lane(lane.number(), position) : lane);
        }
        return result;
    }

    List<Lane> all() {
        return new ArrayList<>(lanes.values());
    }
}
