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

import io.dstl.e2e.dashboard.Dashboard;
import io.dstl.e2e.dashboard.DashboardPicture;
import io.dstl.e2e.dashboard.PrometheusServer;
import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.net.FreePorts;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.Disturbance.Errors;
import io.dstl.harness.rest.CheckpointStatistics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The job runs with the changelog on and a Prometheus beside it; for some seconds the store refuses
 * all requests, and later a TaskManager is killed. Then the dashboard is drawn as it was.
 */
final class DashboardPassage {
    private static final String LABEL = "dashboard";
    private static final double REFUSE_AT = 0.35;
    private static final double KILL_AT = 0.65;
    private static final double END_AT = 0.95;
    private static final Duration REFUSED = Duration.ofSeconds(8);
    private static final Errors SLOW_DOWN = new Errors(503, 1);

    private final Stage stage;
    private final Disturbance disturbance;

    /**
     * @param disturbance of the store
     */
    DashboardPassage(Stage stage, Disturbance disturbance) {
        this.stage = stage;
        this.disturbance = disturbance;
    }

    /**
     * @param picture where to write it
     */
    void run(Path picture) throws Exception {
        Path binary = PrometheusServer.binary(System.getenv("PATH"));
        Path files = Files.createDirectories(stage.plan.directory().resolve("prometheus"));
        // The JobManager's, one for each TaskManager, and one for that which replaces the killed.
        List<Integer> ports = FreePorts.of(files, FlightsCluster.TASK_MANAGERS + 2);
        LocalCluster cluster = stage.start(ClusterPlan.dashboard(ports), LABEL);
        PrometheusServer prometheus =
                stage.cleanup.add(PrometheusServer.start(binary, files, ports, stage.await()));
        FlightsRun run =
                new FlightsRun(
                        stage.plan, cluster, stage.plan.directory().resolve("result-" + LABEL));
        Instant start = stage.clock().instant();
        JobWatch watch = stage.watch(cluster, run.submit(), LABEL, FlightCount.NONE);
        watch.awaitShare(REFUSE_AT, 2);
        disturbance.fail(SLOW_DOWN, REFUSED);
        stage.progress().say("the store refuses all requests for " + REFUSED.toSeconds() + " s");
        CheckpointStatistics before = watch.awaitShare(KILL_AT, 2);
        ServerProcess victim = cluster.taskManagers().get(0);
        cluster.kill(victim);
        cluster.startTaskManager();
        stage.progress().say("SIGKILL of " + victim.name());
        watch.awaitRestored(before.restored);
        watch.awaitShare(END_AT, 2);
        Instant end = stage.clock().instant();
        Dashboard dashboard =
                Dashboard.read(stage.plan.project().resolve("docs/dashboards/dstl-dashboard.json"));
        Files.writeString(
                picture,
                new DashboardPicture(dashboard, prometheus::query).svg(start, end, footer()));
        watch.cancel();
        stage.progress().say("picture: " + picture);
    }

    private String footer() throws Exception {
        return "e2e/run.sh --dashboard · commit "
                + stage.plan.commit()
                + " · Flink "
                + stage.clusters.flinkVersion()
                + " · the store answers 503 for "
                + REFUSED.toSeconds()
                + " s, then a TaskManager is killed";
    }
}
