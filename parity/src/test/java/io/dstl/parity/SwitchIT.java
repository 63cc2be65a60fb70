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
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixRows;
import org.apache.flink.core.execution.RestoreMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The changelog is switched on and off between checkpoints. */
class SwitchIT {

    @ParameterizedTest
    @MatrixRows({
        "rocksdb, CLAIM, 2",
        "rocksdb, LEGACY, 3",
        "rocksdb, NO_CLAIM, 1",
        "hashmap, CLAIM, 3",
        "hashmap, NO_CLAIM, 1",
    })
    void onFromACheckpointWithoutChangelog(String backend, RestoreMode mode, int parallelism)
            throws Exception {
        Route route = Route.named("on");
        LegResult plain = route.run(Flavour.PLAIN, route.leg().backend(backend).changelog(false));
        LegResult on =
                route.run(
                        Flavour.OURS,
                        route.leg()
                                .backend(backend)
                                .from(plain)
                                .in(mode)
                                .parallelism(parallelism)
                                .failing()
                                .materialized());

        assertThat(on.facts().handles()).containsExactly("ChangelogStateBackendHandleImpl");
        if (backend.equals("rocksdb")) {
            assertThat(on.facts().materializationIds())
                    .allMatch(id -> id > plain.facts().checkpointId());
        }
    }

    /** FLINK-32908: RocksDB compares the ids of materializations and of checkpoints. */
    @ParameterizedTest
    @MatrixRows({"rocksdb, true", "hashmap, false"})
    void offAndOnAgain(String backend, boolean materialized) throws Exception {
        Route route = Route.named("off");
        LegResult on =
                route.run(Flavour.OURS, route.leg().backend(backend).materialized(materialized));
        LegResult off =
                route.run(
                        Flavour.OURS,
                        route.leg().backend(backend).changelog(false).from(on).failing());
        LegResult stillOff =
                route.run(
                        Flavour.PLAIN,
                        route.leg().backend(backend).changelog(false).from(off).parallelism(3));
        LegResult onAgain =
                route.run(Flavour.OURS, route.leg().backend(backend).from(stillOff).materialized());

        assertThat(off.facts().handles()).doesNotContain("ChangelogStateBackendHandleImpl");
        if (backend.equals("rocksdb")) {
            assertThat(onAgain.facts().materializationIds())
                    .allMatch(id -> id > stillOff.facts().checkpointId());
        }
    }

    @Test
    void offFromStocksCheckpoint() throws Exception {
        Route route = Route.named("off-from-stock");
        LegResult stock = route.run(Flavour.STOCK, route.leg().materialized());
        LegResult off = route.run(Flavour.OURS, route.leg().changelog(false).from(stock));

        route.run(Flavour.PLAIN, route.leg().changelog(false).from(off));
    }

    @Test
    void withHeapTimersOnRocksDb() throws Exception {
        Route route = Route.named("heap-timers");
        LegResult plain = route.run(Flavour.PLAIN, route.leg().heapTimers().changelog(false));
        LegResult on = route.run(Flavour.OURS, route.leg().heapTimers().from(plain));
        LegResult materialized =
                route.run(Flavour.OURS, route.leg().heapTimers().from(on).materialized());
        LegResult rescaled =
                route.run(Flavour.OURS, route.leg().heapTimers().from(materialized).parallelism(3));
        LegResult off =
                route.run(Flavour.OURS, route.leg().heapTimers().changelog(false).from(rescaled));

        route.run(Flavour.PLAIN, route.leg().heapTimers().changelog(false).from(off));
    }
}
