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
package io.dstl.changelog.serializer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the states of one key must hold, by the numbers of the values. */
final class ExpectedState {

    Integer value;
    final List<Integer> list = new ArrayList<>();
    final Map<Integer, Integer> map = new TreeMap<>();
    Integer reduced;
    Integer aggregated;

    ExpectedState copy() {
        ExpectedState copy = new ExpectedState();
        copy.value = value;
        copy.list.addAll(list);
        copy.map.putAll(map);
        copy.reduced = reduced;
        copy.aggregated = aggregated;
        return copy;
    }

    void replaceList(Collection<Integer> numbers) {
        list.clear();
        list.addAll(numbers);
    }

    void clear() {
        value = null;
        list.clear();
        map.clear();
        reduced = null;
        aggregated = null;
    }

    @Override
    public String toString() {
        return "value "
                + value
                + ", list "
                + list
                + ", map "
                + map
                + ", reduced "
                + reduced
                + ", aggregated "
                + aggregated;
    }
}
