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
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writers, batcher, registry, all that a put goes through, a store in trouble and a JobManager, in
 * random order by a seed. {@code -Ddstl.simulation.seeds=1000} tries so many.
 */
class LogSimulationTest {

    private static final int STEPS = 3000;
    private static final int SEEDS = 60;

    private static int disasters;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Integer.getInteger("dstl.simulation.seeds", SEEDS));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void losesNothingAndLeavesNothing(long seed) {
        Simulation simulation = new Simulation(seed);
        try {
            simulation.run(STEPS);
            simulation.end();
        } catch (Throwable t) {
            throw new AssertionError("Failed with seed " + seed, t);
        }

        assertThat(simulation.completedCheckpoints()).as("seed %d", seed).isGreaterThan(2);
        assertThat(simulation.failedRequests()).as("seed %d", seed).isGreaterThan(10);
        disasters += simulation.disasters();
    }

    /** One seed in some thousands has none. */
    @AfterAll
    static void thereWereDisasters() {
        assertThat(disasters).isPositive();
    }
}
