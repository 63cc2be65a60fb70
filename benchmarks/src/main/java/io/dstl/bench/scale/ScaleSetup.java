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

import io.dstl.bench.run.BenchPlan;
import io.dstl.bench.run.Benchmark.BenchCluster;
import io.dstl.harness.progress.Instruments;

/** What all runs of one benchmark of scale share. */
final class ScaleSetup {
    final BenchPlan plan;
    final ScaleSettings settings;
    final Instruments instruments;

    /** Where the settings and the Flink of each run's cluster are from. */
    final BenchCluster usual;

    ScaleSetup(BenchPlan plan, ScaleSettings settings, Instruments instruments) {
        this.plan = plan;
        this.settings = settings;
        this.instruments = instruments;
        this.usual = new BenchCluster(plan, instruments.await(), settings.slots);
    }
}
