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
package io.dstl.parity.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A POJO as Flink understands it, with fields of several kinds. */
public class Reading {

    public long id;
    public String name;
    public Double value;
    public List<String> tags;
    public Map<String, Integer> counts;

    public Reading() {}

    static Reading numbered(long id) {
        Reading reading = new Reading();
        reading.id = id;
        reading.name = "reading " + id;
        reading.value = id % 3 == 0 ? null : id / 2.0;
        reading.tags = new ArrayList<>(List.of("a" + id, "b"));
        reading.counts = new HashMap<>(Map.of("n", (int) id));
        return reading;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Reading && other.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return Objects.hash(id);
    }

    @Override
    public String toString() {
        return id + "," + name + "," + value + "," + tags + "," + counts;
    }
}
