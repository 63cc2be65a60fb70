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
package io.dstl.changelog.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** The gauges of a group, each name once, as in Flink's groups. */
public final class Gauges extends UnregisteredMetricsGroup {
    private final Map<String, Gauge<?>> gauges = new ConcurrentHashMap<>();

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        assertThat(gauges.put(name, gauge)).as(name).isNull();
        return gauge;
    }

    public long of(String name) {
        assertThat(gauges).containsKey(name);
        return (Long) gauges.get(name).getValue();
    }
}
