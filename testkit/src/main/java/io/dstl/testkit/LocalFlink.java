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

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/**
 * A Flink in this JVM: one TaskManager, on ports that are free, whose parts wait for each other
 * however slow the machine is. Whoever starts it closes it.
 */
public final class LocalFlink {

    private LocalFlink() {}

    /**
     * @param configuration of JobManager and TaskManager
     * @param slots of the TaskManager
     */
    public static MiniCluster start(Configuration configuration, int slots) throws Exception {
        Configuration patient = new Configuration(configuration);
        patient.setString("pekko.ask.timeout", "10 min");
        MiniCluster flink =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .withRandomPorts()
                                .setConfiguration(patient)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(slots)
                                .build());
        flink.start();
        return flink;
    }
}
