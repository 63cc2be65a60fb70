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
package io.dstl.changelog.docs;

import io.dstl.changelog.option.SmallJob;
import io.prometheus.client.exporter.HTTPServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.prometheus.PrometheusReporter;
import org.apache.flink.metrics.prometheus.PrometheusReporterFactory;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * What Flink's own Prometheus reporter serves while a job with the changelog runs: each metric with
 * its labels. Immutable.
 */
final class ExportedMetrics {
    /** The system chooses: no other process can have taken it. */
    private static final String ANY_FREE_PORT = "0";

    private static final int CHECKPOINTS = 2;
    private static final Pattern SAMPLE =
            Pattern.compile("(?m)^(?<name>[a-zA-Z_:][\\w:]*)(?:\\{(?<labels>.*)})? \\S+$");
    private static final Pattern LABEL =
            Pattern.compile("(?<name>\\w+)=\"(?<value>(?:[^\"\\\\]|\\\\.)*)\"");
    private static final String QUANTILE = "quantile";

    private static final AtomicReference<PrometheusReporter> REPORTER = new AtomicReference<>();

    private final Map<String, Set<String>> labels = new TreeMap<>();
    private final Set<String> quantiles = new TreeSet<>();

    private ExportedMetrics(String page) {
        Matcher sample = SAMPLE.matcher(page);
        while (sample.find()) {
            Set<String> seen =
                    labels.computeIfAbsent(sample.group("name"), name -> new TreeSet<>());
            Matcher label = LABEL.matcher(String.valueOf(sample.group("labels")));
            while (label.find()) {
                seen.add(label.group("name"));
                if (label.group("name").equals(QUANTILE)) {
                    quantiles.add(label.group("value"));
                }
            }
        }
    }

    /**
     * Runs a job, and asks the reporter once some checkpoints have completed.
     *
     * @param directory for the log
     */
    static ExportedMetrics ofARunningJob(Path directory) throws Exception {
        Configuration cluster = new Configuration();
        cluster.setString("state.changelog.enabled", "true");
        cluster.setString("state.changelog.storage", "filesystem");
        cluster.setString("state.changelog.dstl.dfs.base-path", directory.toUri().toString());
        cluster.setString("metrics.reporter.prom.factory.class", Factory.class.getName());
        cluster.setString("metrics.reporter.prom.port", ANY_FREE_PORT);
        Configuration job = new Configuration();
        job.setString("execution.checkpointing.interval", "20 ms");
        CompletableFuture<String> page = new CompletableFuture<>();

        new SmallJob(cluster, job).run(CHECKPOINTS, () -> scrape(REPORTER.get(), page));

        return new ExportedMetrics(page.get());
    }

    /** Throws nothing: Flink would restart the job for it, again and again. */
    private static void scrape(PrometheusReporter reporter, CompletableFuture<String> page) {
        try {
            Field server = PrometheusReporter.class.getDeclaredField("httpServer");
            server.setAccessible(true);
            int port = ((HTTPServer) server.get(reporter)).getPort();
            URI address = URI.create("http://127.0.0.1:" + port + "/metrics");
            try (InputStream in = address.toURL().openStream()) {
                page.complete(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException | ReflectiveOperationException | RuntimeException e) {
            page.completeExceptionally(e);
        }
    }

    /** Of all series of this metric; empty if there is none. */
    Optional<Set<String>> labels(String metric) {
        return Optional.ofNullable(labels.get(metric)).map(Collections::unmodifiableSet);
    }

    /** Of the histograms, as the label has them. */
    Set<String> quantiles() {
        return Collections.unmodifiableSet(quantiles);
    }

    /** Flink's own reporter, which this class can find afterwards. Found as a service. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            PrometheusReporter reporter =
                    new PrometheusReporterFactory().createMetricReporter(properties);
            REPORTER.set(reporter);
            return reporter;
        }
    }
}
