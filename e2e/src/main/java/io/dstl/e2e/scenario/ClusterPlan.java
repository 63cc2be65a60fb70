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
package io.dstl.e2e.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What sets one cluster of a run apart from the others. Immutable. */
public final class ClusterPlan {
    /** Long over before the default, 10 minutes, is. */
    private static final Duration IN_A_RUN = Duration.ofSeconds(15);

    /** At least once before the next link takes over. */
    private static final Duration IN_A_LINK = Duration.ofSeconds(5);

    /** Of its directory. */
    final String name;

    /** The folder of the bucket for all that its jobs store. */
    final String root;

    final boolean changelog;
    final Provider provider;

    /** In place of that of the run. */
    final Optional<String> flinkVersion;

    final Duration materializeInterval;

    /** In place of those that all clusters have. */
    final Map<String, String> furtherSettings;

    private ClusterPlan(
            String name,
            String root,
            boolean changelog,
            ChainLink runsOn,
            Duration materializeInterval,
            Map<String, String> furtherSettings) {
        this.name = name;
        this.root = root;
        this.changelog = changelog;
        this.provider = runsOn.provider;
        this.flinkVersion = runsOn.flinkVersion;
        this.materializeInterval = materializeInterval;
        this.furtherSettings = furtherSettings;
    }

    static ClusterPlan of(Mode mode) {
        return new ClusterPlan(
                mode.label, mode.label, mode.changelog, ChainLink.DSTL, IN_A_RUN, Map.of());
    }

    /** One to find the pace of the others on. */
    static ClusterPlan pace() {
        return new ClusterPlan("pace", "pace", false, ChainLink.DSTL, IN_A_RUN, Map.of());
    }

    /** One of several that run the same job one after the other, and share what it has stored. */
    static ClusterPlan link(int number, ChainLink link) {
        // Short: RocksDB names its log by its whole path, in which this is one of the folders.
        return new ClusterPlan(
                "chain-" + number + "-" + link.provider.label(),
                "chain",
                true,
                link,
                IN_A_LINK,
                Map.of());
    }

    /**
     * One whose TaskManagers are killed again and again: several checkpoints are retained, and at
     * any moment segments have been stored ahead of the next one.
     */
    static ClusterPlan kills() {
        return new ClusterPlan(
                "kills",
                "kills",
                true,
                ChainLink.DSTL,
                IN_A_LINK,
                Map.of(
                        "execution.checkpointing.num-retained", "3",
                        "execution.checkpointing.timeout", "20 s",
                        "execution.checkpointing.tolerable-failed-checkpoints", "1000",
                        "dstl.dfs.preemptive-persist-threshold", "16 kb"));
    }

    /** One whose processes have Flink's reporter for Prometheus, each on one of these ports. */
    static ClusterPlan dashboard(List<Integer> ports) {
        return new ClusterPlan(
                "dashboard",
                "dashboard",
                true,
                ChainLink.DSTL,
                IN_A_RUN,
                Map.of(
                        "metrics.reporter.prom.factory.class",
                        "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
                        "metrics.reporter.prom.port",
                        ports.stream().map(String::valueOf).collect(Collectors.joining(",")),
                        // While the store refuses requests, the JobManager's fail too.
                        "execution.checkpointing.tolerable-failed-checkpoints",
                        "1000"));
    }

    /** The two ways in which the same job is run. */
    enum Mode {
        CHANGELOG_OFF("off", false),
        CHANGELOG_ON("on", true);

        /** For paths and headings. */
        final String label;

        final boolean changelog;

        Mode(String label, boolean changelog) {
            this.label = label;
            this.changelog = changelog;
        }
    }

    /** Whose changelog backend a cluster has, and of which Flink. Immutable. */
    public static final class ChainLink {
        static final ChainLink DSTL = new ChainLink(Provider.DSTL, Optional.empty());

        final Provider provider;

        /** In place of that of the run. */
        final Optional<String> flinkVersion;

        private ChainLink(Provider provider, Optional<String> flinkVersion) {
            this.provider = provider;
            this.flinkVersion = flinkVersion;
        }

        public static ChainLink of(Provider provider) {
            return new ChainLink(provider, Optional.empty());
        }

        /**
         * @param text a backend, with an at sign and a version of Flink or without
         * @throws IllegalArgumentException that names the backends
         */
        public static ChainLink of(String text) {
            String[] parts = text.split("@", 2);
            for (Provider provider : Provider.values()) {
                if (provider.name().equalsIgnoreCase(parts[0])) {
                    return new ChainLink(
                            provider, parts.length == 1 ? Optional.empty() : Optional.of(parts[1]));
                }
            }
            throw new IllegalArgumentException(
                    "--chain has "
                            + text
                            + ": give STOCK or DSTL, of another Flink as in DSTL@2.3.0");
        }

        /** For paths and headings. */
        String label() {
            return provider.label() + flinkVersion.map(version -> "-" + version).orElse("");
        }
    }

    /** Whose changelog backend a cluster has. */
    public enum Provider {
        /** Ours, in {@code lib/}. */
        DSTL,

        /** Flink's own. */
        STOCK;

        /** For paths and headings. */
        String label() {
            return this == DSTL ? "dstl" : "stock";
        }
    }
}
