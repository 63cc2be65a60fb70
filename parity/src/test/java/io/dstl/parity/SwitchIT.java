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
import static io.dstl.parity.leg.Flavour.PLAIN;
import static io.dstl.parity.leg.Flavour.STOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import org.apache.flink.core.execution.RestoreMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;

/** The changelog is switched on and off between checkpoints. */
class SwitchIT {

    @ParameterizedTest
    @MatrixRows(
            value = {
                "rocksdb, CLAIM, 2",
                "rocksdb, LEGACY, 3",
                "rocksdb, NO_CLAIM, 1",
                "hashmap, CLAIM, 3",
                "hashmap, NO_CLAIM, 1",
            },
            stoodFor = true)
    void onFromACheckpointWithoutChangelog(String backend, RestoreMode mode, int parallelism)
            throws Exception {
        Route route = Route.named("on").on(backend);
        LegResult plain = route.leg().changelog(false).run(PLAIN);
        LegResult on =
                route.from(plain)
                        .in(mode)
                        .parallelism(parallelism)
                        .failing()
                        .materialized()
                        .run(OURS);

        assertThat(on.facts.handles).containsExactly("ChangelogStateBackendHandleImpl");
        if (backend.equals("rocksdb")) {
            assertThat(on.facts.materializationIds).allMatch(id -> id > plain.facts.checkpointId);
        }
    }

    /** FLINK-32908: RocksDB compares the ids of materializations and of checkpoints. */
    @ParameterizedTest
    @MatrixRows({"rocksdb, true", "hashmap, false"})
    void offAndOnAgain(String backend, boolean materialized) throws Exception {
        Route route = Route.named("off").on(backend);
        LegResult on = route.leg().materialized(materialized).run(OURS);
        LegResult off = route.from(on).changelog(false).failing().run(OURS);
        LegResult stillOff = route.from(off).changelog(false).parallelism(3).run(PLAIN);
        LegResult onAgain = route.from(stillOff).materialized().run(OURS);

        assertThat(off.facts.handles).doesNotContain("ChangelogStateBackendHandleImpl");
        if (backend.equals("rocksdb")) {
            assertThat(onAgain.facts.materializationIds)
                    .allMatch(id -> id > stillOff.facts.checkpointId);
        }
    }

    @Test
    @ExtendWith(MatrixCase.class)
    void offFromStocksCheckpoint() throws Exception {
        Route route = Route.named("off-from-stock");
        LegResult stock = route.leg().materialized().run(STOCK);
        LegResult off = route.from(stock).changelog(false).run(OURS);

        route.from(off).changelog(false).run(PLAIN);
    }

    @Test
    @ExtendWith(MatrixCase.class)
    void withHeapTimersOnRocksDb() throws Exception {
        Route route = Route.named("heap-timers").heapTimers();
        LegResult plain = route.leg().changelog(false).run(PLAIN);
        LegResult on = route.from(plain).run(OURS);
        LegResult materialized = route.from(on).materialized().run(OURS);
        LegResult rescaled = route.from(materialized).parallelism(3).run(OURS);
        LegResult off = route.from(rescaled).changelog(false).run(OURS);

        route.from(off).changelog(false).run(PLAIN);
    }
}
