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
package io.dstl.bench.fleet;

import io.dstl.bench.job.SystemPace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesUtils;
import org.apache.flink.runtime.rpc.AddressResolution;
import org.apache.flink.runtime.rpc.RpcService;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of a fleet: simulated TaskManagers of one JobManager, which it finds as real ones do,
 * by the cluster's configuration. Runs until it is told to end.
 */
public final class FleetMain {
    private static final Logger LOG = LoggerFactory.getLogger(FleetMain.class);
    private static final String LOG_ROOT = "dstl.dfs.base-path";
    private static final int FAILED = 1;

    private FleetMain() {}

    /** Arguments: see {@link FleetSettings}. */
    public static void main(String[] args) {
        try {
            run(args);
        } catch (Exception e) {
            die(e);
        }
    }

    private static void run(String[] args) throws Exception {
        FleetSettings settings = FleetSettings.parse(args);
        Configuration configuration =
                GlobalConfiguration.loadConfiguration(settings.configuration.toString());
        FileSystem.initialize(
                configuration, PluginUtils.createPluginManagerFromRootFolder(configuration));
        StateShape shape =
                ShapeReader.read(
                        settings.metadata.get(0), settings.metadata.get(1), settings.changelog);
        LOG.info("{} tasks, each: {}", settings.tasks, shape);
        start(settings, shape, configuration);
    }

    private static void start(FleetSettings settings, StateShape shape, Configuration configuration)
            throws Exception {
        RpcSystem rpcSystem = RpcSystem.load(configuration);
        RpcService rpc =
                rpcSystem
                        .remoteServiceBuilder(configuration, "localhost", "0")
                        .withBindAddress("localhost")
                        .createAndStart();
        ExecutorService io = Executors.newCachedThreadPool();
        HighAvailabilityServices leaders =
                HighAvailabilityServicesUtils.createHighAvailabilityServices(
                        configuration,
                        io,
                        AddressResolution.NO_ADDRESS_RESOLUTION,
                        rpcSystem,
                        FleetMain::die);
        FleetCheckpoints checkpoints =
                new FleetCheckpoints(
                        settings.checkpoints, SystemPace.clock(), settings.gatheredEach());
        TaskStates.Roots roots =
                new TaskStates.Roots(
                        configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY),
                        configuration.getString(LOG_ROOT, ""));
        List<SimulatedTaskExecutor> fleet = new ArrayList<>();
        for (int i = 0; i < settings.taskManagers(); i++) {
            fleet.add(
                    new SimulatedTaskExecutor(
                            rpc,
                            new ResourceID("simulated-" + i),
                            settings.slots,
                            leaders,
                            new SimulatedTasks(
                                    new TaskStates(settings, shape, roots, i), checkpoints)));
        }
        checkpoints.onBegin(checkpoint -> fleet.forEach(one -> one.acknowledge(checkpoint)));
        fleet.forEach(SimulatedTaskExecutor::start);
    }

    private static void die(Throwable failure) {
        LOG.error("the fleet can't go on", failure);
        System.exit(FAILED);
    }
}
