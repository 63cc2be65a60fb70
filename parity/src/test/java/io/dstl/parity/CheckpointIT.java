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
package io.dstl.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.parity.leg.Flavour;
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.Leg.Ending;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixRows;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Every way in which Flink takes checkpoints. */
class CheckpointIT {

    @ParameterizedTest
    @MatrixRows({"0 ms, OURS, rocksdb, 3", "1 ms, OURS, hashmap, 1", "0 ms, STOCK, rocksdb, 2"})
    void unalignedWithRecordsInFlight(
            String alignedTimeout, Flavour next, String backend, int parallelism) throws Exception {
        Route route = Route.named("unaligned");
        LegResult unaligned =
                route.run(
                        Flavour.OURS,
                        unaligned(route, alignedTimeout)
                                .backend(backend)
                                .endingWith(Ending.UNALIGNED_CHECKPOINT));
        LegResult restored =
                route.run(
                        next,
                        unaligned(route, alignedTimeout)
                                .backend(backend)
                                .from(unaligned)
                                .parallelism(parallelism));

        assertThat(unaligned.facts().inFlightBytes()).isPositive();
        assertThat(restored.facts().hasLog()).isTrue();
    }

    private static Leg unaligned(Route route, String alignedTimeout) {
        return route.leg()
                .with("execution.checkpointing.unaligned.enabled", "true")
                .with("execution.checkpointing.aligned-checkpoint-timeout", alignedTimeout);
    }

    @ParameterizedTest
    @MatrixRows({"rocksdb", "hashmap"})
    void severalAtOnce(String backend) throws Exception {
        Route route = Route.named("concurrent");
        LegResult concurrent =
                route.run(
                        Flavour.OURS,
                        route.leg()
                                .backend(backend)
                                .with("execution.checkpointing.max-concurrent-checkpoints", "4")
                                .concurrentCheckpoints(4)
                                .failing()
                                .materialized());

        route.run(Flavour.OURS, route.leg().backend(backend).from(concurrent));
    }

    @Test
    void restartsInOneLegAfterAnother() throws Exception {
        Route route = Route.named("restarts");
        LegResult first = route.run(Flavour.OURS, route.leg().failing().materialized());
        LegResult second =
                route.run(Flavour.OURS, route.leg().from(first).failing().parallelism(3));

        route.run(Flavour.OURS, route.leg().from(second).failing().compressed(true));
    }

    /** FLIP-147. */
    @Test
    void afterTasksHaveFinished() throws Exception {
        Route route = Route.named("finished");
        LegResult finished =
                route.run(Flavour.OURS, route.leg().finishingEvenLanes().materialized());

        route.run(Flavour.OURS, route.leg().from(finished));
    }

    /** FLINK-40302: stock stops materializing for ever. */
    @Test
    void materializesAfterANativeSavepoint() throws Exception {
        Route route = Route.named("savepoint-on-the-way");
        LegResult materialized =
                route.run(
                        Flavour.OURS,
                        route.leg().savepointOnTheWay(SavepointFormatType.NATIVE).materialized());

        assertThat(materialized.facts().hasMaterialization()).isTrue();
        route.run(Flavour.OURS, route.leg().from(materialized));
    }
}
