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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The lanes that no reader has: the state of the enumerator. For one thread. */
public final class LanePool {
    private final Map<Integer, Lane> lanes = new TreeMap<>();

    LanePool(Collection<Lane> lanes) {
        lanes.forEach(this::put);
    }

    /** All lanes, at their first row. */
    static LanePool full() {
        return new LanePool(
                IntStream.range(0, Lane.COUNT)
                        .mapToObj(number -> new Lane(number, RowPosition.START))
                        .collect(Collectors.toList()));
    }

    void put(Lane lane) {
        Lane present = lanes.putIfAbsent(lane.number(), lane);
        if (present != null) {
            throw new IllegalStateException(lane + " came back, but the pool has " + present);
        }
    }

    /** Takes out the lanes meant for {@code reader} when there are {@code readers} in all. */
    List<Lane> takeFor(int reader, int readers) {
        List<Lane> taken =
                lanes.values().stream()
                        .filter(lane -> lane.number() % readers == reader)
                        .collect(Collectors.toList());
        taken.forEach(lane -> lanes.remove(lane.number()));
        return taken;
    }

    List<Lane> lanes() {
        return new ArrayList<>(lanes.values());
    }
}
