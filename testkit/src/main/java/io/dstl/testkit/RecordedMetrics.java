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
package io.dstl.testkit;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** A metric group that can be read. */
public final class RecordedMetrics extends UnregisteredMetricsGroup {

    private final Map<String, Metric> metrics = new TreeMap<>();

    /** The same one for a name that comes again. */
    @Override
    public Counter counter(String name) {
        return (Counter) metrics.computeIfAbsent(name, super::counter);
    }

    @Override
    public <C extends Counter> C counter(String name, C counter) {
        metrics.put(name, counter);
        return counter;
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        metrics.put(name, gauge);
        return gauge;
    }

    @Override
    public <H extends Histogram> H histogram(String name, H histogram) {
        metrics.put(name, histogram);
        return histogram;
    }

    /** The kind of each, by name. */
    public Map<String, String> kinds() {
        Map<String, String> kinds = new TreeMap<>();
        metrics.forEach((name, metric) -> kinds.put(name, metric.getMetricType().name()));
        return kinds;
    }

    public long count(String name) {
        return ((Counter) metrics.get(name)).getCount();
    }

    public Object read(String name) {
        return ((Gauge<?>) metrics.get(name)).getValue();
    }

    /** Of a histogram. */
    public long max(String name) {
        return ((Histogram) metrics.get(name)).getStatistics().getMax();
    }
}
