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

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/** Every way to write a map, also through its iterator and its entries. */
final class MapCase<V> extends StateCase {

    private final Sample<V> sample;
    private final int setEntries;

    MapCase(String name, Sample<V> sample, boolean mortal) {
        super(name, mortal);
        this.sample = sample;
        // With a time to live Flink hands out copies of the entries.
        this.setEntries = mortal ? CHOICES : 4;
    }

    @Override
    public Cell inFlink(RuntimeContext context) {
        return new FlinkCell(
                context.getMapState(
                        described(new MapStateDescriptor<>(name(), Types.STRING, sample.type()))));
    }

    @Override
    public Cell inModel() {
        return new ModelCell();
    }

    private static String keyOf(long ordinal) {
        return "k" + ordinal % 5;
    }

    private Map<String, V> some(long ordinal) {
        return new TreeMap<>(Map.of("k0", sample.make(ordinal), "x", sample.make(ordinal + 1)));
    }

    private String show(Map<String, V> map) {
        return map.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + sample.show(entry.getValue()))
                .collect(Collectors.toList())
                .toString();
    }

    private final class FlinkCell implements Cell {
        private final MapState<String, V> state;

        FlinkCell(MapState<String, V> state) {
            this.state = state;
        }

        @Override
        public void apply(long ordinal, int choice) throws Exception {
            if (choice == 0) {
                state.clear();
            } else if (choice == 1) {
                state.putAll(some(ordinal));
            } else if (choice == 2) {
                state.remove(keyOf(ordinal));
            } else if (choice == 3) {
                removeByIterator();
            } else if (choice == setEntries) {
                for (Map.Entry<String, V> entry : state.entries()) {
                    entry.setValue(sample.make(ordinal));
                }
            } else {
                state.put(keyOf(ordinal), sample.make(ordinal));
            }
        }

        private void removeByIterator() throws Exception {
            Iterator<String> keys = state.keys().iterator();
            while (keys.hasNext()) {
                if (!keys.next().equals("k1")) {
                    keys.remove();
                }
            }
        }

        @Override
        public String show() throws Exception {
            Map<String, V> content = new TreeMap<>();
            for (Map.Entry<String, V> entry : state.entries()) {
                content.put(entry.getKey(), entry.getValue());
            }
            return MapCase.this.show(content);
        }
    }

    private final class ModelCell implements Cell {
        private final Map<String, V> content = new TreeMap<>();

        @Override
        public void apply(long ordinal, int choice) {
            if (choice == 0) {
                content.clear();
            } else if (choice == 1) {
                content.putAll(some(ordinal));
            } else if (choice == 2) {
                content.remove(keyOf(ordinal));
            } else if (choice == 3) {
                content.keySet().removeIf(key -> !key.equals("k1"));
            } else if (choice == setEntries) {
                content.replaceAll((key, value) -> sample.make(ordinal));
            } else {
                content.put(keyOf(ordinal), sample.make(ordinal));
            }
        }

        @Override
        public String show() {
            return MapCase.this.show(content);
        }
    }
}
