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
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;

/** Every way to write a list. */
final class ListCase<T> extends StateCase {

    private final Sample<T> sample;

    ListCase(String name, Sample<T> sample, boolean mortal) {
        super(name, mortal);
        this.sample = sample;
    }

    @Override
    public Cell inFlink(RuntimeContext context) {
        return new FlinkCell(
                context.getListState(described(new ListStateDescriptor<>(name(), sample.type()))));
    }

    @Override
    public Cell inModel() {
        return new ModelCell();
    }

    private List<T> some(long ordinal) {
        return new ArrayList<>(List.of(sample.make(ordinal), sample.make(ordinal + 1000)));
    }

    private String show(List<T> list) {
        return list.stream().map(sample::show).collect(Collectors.toList()).toString();
    }

    private final class FlinkCell implements Cell {
        private final ListState<T> state;

        FlinkCell(ListState<T> state) {
            this.state = state;
        }

        @Override
        public void apply(long ordinal, int choice) throws Exception {
            switch (choice) {
                case 0:
                    state.clear();
                    break;
                case 1:
                    state.update(List.of());
                    break;
                case 2:
                    state.update(some(ordinal));
                    break;
                case 3:
                    state.addAll(some(ordinal));
                    break;
                default:
                    state.add(sample.make(ordinal));
            }
        }

        @Override
        public String show() throws Exception {
            List<T> content = new ArrayList<>();
            Iterable<T> elements = state.get();
            if (elements != null) {
                elements.forEach(content::add);
            }
            return ListCase.this.show(content);
        }
    }

    private final class ModelCell implements Cell {
        private final List<T> content = new ArrayList<>();

        @Override
        public void apply(long ordinal, int choice) {
            if (choice < 3) {
                content.clear();
            }
            if (choice == 2 || choice == 3) {
                content.addAll(some(ordinal));
            } else if (choice > 3) {
                content.add(sample.make(ordinal));
            }
        }

        @Override
        public String show() {
            return ListCase.this.show(content);
        }
    }
}
