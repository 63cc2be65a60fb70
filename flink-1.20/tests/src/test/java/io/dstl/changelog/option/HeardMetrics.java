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
package io.dstl.changelog.option;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Each metric that a Flink in this JVM has registered since {@link #listen}. */
public final class HeardMetrics implements MetricReporter {
    private static final Map<String, Metric> HEARD = new ConcurrentHashMap<>();

    /** From now on, in clusters with this configuration. */
    public static void listen(Configuration cluster) {
        HEARD.clear();
        cluster.setString("metrics.reporter.heard.factory.class", Factory.class.getName());
    }

    /** By full name, ours and Flink's. */
    static Map<String, Metric> all() {
        return new TreeMap<>(HEARD);
    }

    /** By name: the kind, and what there is one of each for. */
    public static Map<String, String> ofTheChangelog() {
        Map<String, String> ours = new TreeMap<>();
        all().forEach(
                        (name, metric) -> {
                            int begin = name.indexOf("].Changelog");
                            if (begin >= 0) {
                                ours.put(
                                        name.substring(begin + 2),
                                        metric.getMetricType().name().toLowerCase(Locale.ROOT)
                                                + " per "
                                                + scope(name.substring(1, begin).split(", ")));
                            }
                        });
        return ours;
    }

    /** In Flink's default formats. */
    private static String scope(String[] components) {
        return components.length == 4 ? "job and TaskManager" : "operator and subtask";
    }

    /** Their names, and the values of the gauges. */
    static List<String> texts() {
        List<String> texts = new ArrayList<>();
        all().forEach(
                        (name, metric) -> {
                            texts.add(name);
                            if (metric instanceof Gauge && name.contains(".Changelog")) {
                                texts.add(String.valueOf(((Gauge<?>) metric).getValue()));
                            }
                        });
        return texts;
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        HEARD.put(Arrays.toString(group.getScopeComponents()) + "." + name, metric);
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}

    /** Found as a service. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new HeardMetrics();
        }
    }
}
