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
package io.dstl.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How many tasks with state a run has, and whether they are real ones. Immutable. */
public final class ScaleSize {
    final int tasks;
    final boolean simulated;

    ScaleSize(int tasks, boolean simulated) {
        this.tasks = tasks;
        this.simulated = simulated;
    }

    /** The real ones first: the simulated ones take after them. */
    static List<ScaleSize> all(List<Integer> real, List<Integer> simulated) {
        List<ScaleSize> sizes = new ArrayList<>();
        real.forEach(tasks -> sizes.add(new ScaleSize(tasks, false)));
        simulated.forEach(tasks -> sizes.add(new ScaleSize(tasks, true)));
        return sizes;
    }

    /** For paths. */
    String label() {
        return (simulated ? "fleet-" : "real-") + tasks;
    }

    /** For headings. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d %s tasks", tasks, simulated ? "simulated" : "real");
    }
}
