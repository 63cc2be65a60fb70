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

import static io.dstl.parity.leg.Flavour.OURS;
import static io.dstl.parity.leg.Flavour.STOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.parity.leg.Flavour;
import io.dstl.parity.leg.Flink;
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.Leg.Ending;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;

/** Every way in which Flink takes checkpoints. */
class CheckpointIT {

    @ParameterizedTest
    @MatrixRows({"0 ms, OURS, rocksdb, 3", "1 ms, OURS, hashmap, 1", "0 ms, STOCK, rocksdb, 2"})
    void unalignedWithRecordsInFlight(
            String alignedTimeout, Flavour flavour, String backend, int parallelism)
            throws Exception {
        Route route = Route.named("unaligned").on(backend);
        LegResult unaligned =
                unaligned(route.leg(), alignedTimeout)
                        .endingWith(Ending.UNALIGNED_CHECKPOINT)
                        .run(OURS);
        Leg next = unaligned(route.from(unaligned), alignedTimeout);
        LegResult restored = next.parallelism(parallelism).run(flavour);

        assertThat(unaligned.facts.inFlightBytes).isPositive();
        // Of ours the first one at another parallelism is full: tasks may share a log.
        assertThat(restored.facts.hasLog()).isEqualTo(flavour == STOCK);
    }

    private static Leg unaligned(Leg leg, String alignedTimeout) {
        return leg.with("execution.checkpointing.unaligned.enabled", "true")
                .with("execution.checkpointing.aligned-checkpoint-timeout", alignedTimeout);
    }

    @ParameterizedTest
    @MatrixRows(
            value = {"rocksdb", "hashmap"},
            stoodFor = true)
    void severalAtOnce(String backend) throws Exception {
        Route route = Route.named("concurrent").on(backend);
        LegResult concurrent =
                route.leg()
                        .with("execution.checkpointing.max-concurrent-checkpoints", "4")
                        .concurrentCheckpoints(4)
                        .failing()
                        .materialized()
                        .run(OURS);

        route.from(concurrent).run(OURS);
    }

    @Test
    void restartsInOneLegAfterAnother() throws Exception {
        Route route = Route.named("restarts");
        LegResult first = route.leg().failing().materialized().run(OURS);
        LegResult second = route.from(first).failing().parallelism(3).run(OURS);

        route.from(second).failing().compressed(true).run(OURS);
    }

    /** The scheduler restarts the job at another parallelism, in the middle of a leg. */
    @ParameterizedTest
    @MatrixRows(
            value = {
                "FLINK_1_20, rocksdb, true",
                "FLINK_2_3, rocksdb, true",
                "FLINK_1_20, rocksdb, false",
                "FLINK_2_3, hashmap, false",
            },
            stoodFor = true)
    void byTheAdaptiveScheduler(Flink flink, String backend, boolean materialized)
            throws Exception {
        Route route = Route.named("adaptive").on(backend);
        LegResult adapted =
                route.leg()
                        .on(flink)
                        .parallelism(4)
                        .changingTaskManagers()
                        .materialized(materialized)
                        .run(OURS);

        route.from(adapted).on(flink).parallelism(3).run(OURS);
    }

    /** FLIP-147. */
    @Test
    @ExtendWith(MatrixCase.class)
    void afterTasksHaveFinished() throws Exception {
        Route route = Route.named("finished");
        LegResult finished = route.leg().finishingEvenLanes().materialized().run(OURS);

        route.from(finished).run(OURS);
    }

    /** FLINK-40302: stock stops materializing for ever. */
    @Test
    @ExtendWith(MatrixCase.class)
    void materializesAfterANativeSavepoint() throws Exception {
        Route route = Route.named("savepoint-on-the-way");
        LegResult materialized =
                route.leg().savepointOnTheWay(SavepointFormatType.NATIVE).materialized().run(OURS);

        assertThat(materialized.facts.hasMaterialization()).isTrue();
        route.from(materialized).run(OURS);
    }
}
