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

import io.dstl.parity.model.Script;
import io.dstl.parity.state.StateCase.Cell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the states of one key must be after each of its events. */
public final class KeyModel {

    private final String key;
    private final List<StateCase> cases;
    private final Map<String, Cell> cells = new LinkedHashMap<>();

    private long applied;

    public KeyModel(String key, List<StateCase> cases) {
        this.key = key;
        this.cases = cases;
        reset();
    }

    private void reset() {
        applied = 0;
        cells.clear();
        cases.forEach(each -> cells.put(each.name(), each.inModel()));
    }

    /** The operation that an event means for a state. */
    public static int choice(String state, String key, long ordinal) {
        return Script.chance(StateCase.CHOICES, state, key, ordinal);
    }

    /** The content of each state after all events with ordinals below the given one. */
    public Map<String, String> before(long ordinal) {
        if (ordinal < applied) {
            reset();
        }
        Map<String, String> content = new LinkedHashMap<>();
        try {
            for (; applied < ordinal; applied++) {
                for (Map.Entry<String, Cell> cell : cells.entrySet()) {
                    cell.getValue().apply(applied, choice(cell.getKey(), key, applied));
                }
            }
            for (Map.Entry<String, Cell> cell : cells.entrySet()) {
                content.put(cell.getKey(), cell.getValue().show());
            }
        } catch (Exception e) {
            throw new IllegalStateException("The model of " + key + " is wrong", e);
        }
        return content;
    }
}
