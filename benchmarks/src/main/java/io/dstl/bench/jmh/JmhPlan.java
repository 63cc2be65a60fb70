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
package io.dstl.bench.jmh;

import io.dstl.bench.run.BenchPaths;
import io.dstl.bench.run.Variant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** All that a run of the micro benchmarks is told. Immutable but for its conditions. */
public final class JmhPlan {
    private final BenchPaths paths;
    private final List<Variant> variants;
    private final JmhScale scale;
    private final Map<String, String> conditions = new LinkedHashMap<>();

    /**
     * @param variants to run in turn
     */
    public JmhPlan(BenchPaths paths, List<Variant> variants, JmhScale scale) {
        this.paths = paths;
        this.variants = variants.stream().distinct().collect(Collectors.toUnmodifiableList());
        this.scale = scale;
    }

    /** What the reader of the figures has to know besides. */
    public JmhPlan condition(String name, String value) {
        conditions.put(name, value);
        return this;
    }

    BenchPaths paths() {
        return paths;
    }

    List<Variant> variants() {
        return variants;
    }

    JmhScale scale() {
        return scale;
    }

    /** In the order to show. */
    Map<String, String> conditions() {
        Map<String, String> all = new LinkedHashMap<>(conditions);
        all.put("measured", scale.toString());
        return all;
    }
}
