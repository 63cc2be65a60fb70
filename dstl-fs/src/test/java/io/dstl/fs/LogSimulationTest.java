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
package io.dstl.fs;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.testing.Simulation;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writers, batcher, registry, a store that fails and a JobManager, in random order by a seed. */
class LogSimulationTest {

    private static final int STEPS = 3000;

    @TempDir Path base;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void losesNothingAndLeavesNothing(long seed) throws Exception {
        Simulation simulation = new Simulation(seed, base);
        try {
            simulation.run(STEPS);
            simulation.end();
        } catch (Throwable t) {
            throw new AssertionError("Failed with seed " + seed, t);
        }

        assertThat(simulation.completedCheckpoints()).as("seed %d", seed).isGreaterThan(10);
        assertThat(simulation.failedUploads()).as("seed %d", seed).isGreaterThan(10);
    }
}
