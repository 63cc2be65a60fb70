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
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.Leg.Ending;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import org.apache.flink.core.execution.RestoreMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;

/** Savepoints of both formats, taken on the way and at the end, across backends. */
class SavepointIT {

    @ParameterizedTest
    @MatrixRows({
        "OURS, rocksdb, true, OURS, hashmap, true",
        "OURS, hashmap, true, PLAIN, rocksdb, false",
        "PLAIN, rocksdb, false, OURS, hashmap, true",
        "STOCK, rocksdb, true, OURS, hashmap, true",
        "OURS, hashmap, true, STOCK, rocksdb, true",
    })
    void canonicalAcrossBackends(
            Flavour from,
            String fromBackend,
            boolean fromChangelog,
            Flavour to,
            String toBackend,
            boolean toChangelog)
            throws Exception {
        Route route = Route.named("canonical");
        LegResult savepoint =
                route.leg()
                        .backend(fromBackend)
                        .changelog(fromChangelog)
                        .endingWith(Ending.CANONICAL_SAVEPOINT)
                        .run(from);
        Leg leg = route.from(savepoint).backend(toBackend).changelog(toChangelog);

        if (to == STOCK) {
            leg.in(RestoreMode.CLAIM).parallelism(3).run(to);
        } else {
            leg.in(RestoreMode.NO_CLAIM).parallelism(3).failing().run(to);
        }
    }

    @ParameterizedTest
    @MatrixRows(
            value = {
                "OURS, rocksdb, true, OURS, true",
                "OURS, hashmap, true, PLAIN, false",
                "STOCK, rocksdb, true, OURS, true",
                "OURS, rocksdb, true, STOCK, true",
            },
            stoodFor = true)
    void nativeOnOneBackend(
            Flavour from, String backend, boolean fromChangelog, Flavour to, boolean toChangelog)
            throws Exception {
        Route route = Route.named("native").on(backend);
        LegResult savepoint =
                route.leg().changelog(fromChangelog).endingWith(Ending.NATIVE_SAVEPOINT).run(from);

        route.from(savepoint).changelog(toChangelog).run(to);
    }

    /** Flink deletes a savepoint that it may claim once there is a later checkpoint. */
    @ParameterizedTest
    @MatrixRows(
            value = {
                "CANONICAL_SAVEPOINT, rocksdb",
                "CANONICAL_SAVEPOINT, hashmap",
                "NATIVE_SAVEPOINT, rocksdb",
                "NATIVE_SAVEPOINT, hashmap",
            },
            stoodFor = true)
    void claimed(Ending format, String backend) throws Exception {
        Route route = Route.named("claimed").on(backend);
        LegResult savepoint = route.leg().endingWith(format).run(OURS);
        Leg claiming = route.from(savepoint).in(RestoreMode.CLAIM);
        LegResult next = claiming.failing().run(OURS);

        route.from(next).parallelism(3).run(OURS);
    }

    @ParameterizedTest
    @MatrixRows({"STOP", "DRAIN"})
    void stopWithSavepoint(Ending ending) throws Exception {
        Route route = Route.named("stop");
        LegResult first = route.leg().materialized().run(OURS);
        LegResult stopped = route.from(first).endingWith(ending).run(OURS);

        assertThat(stopped.facts.hasLog()).isFalse();
        if (ending == Ending.STOP) {
            route.from(stopped).in(RestoreMode.NO_CLAIM).run(OURS);
        }
    }

    /** RocksDB leaves timers on the heap out of its own snapshots. */
    @Test
    @ExtendWith(MatrixCase.class)
    void nativeWithHeapTimersOnRocksDb() throws Exception {
        Route route = Route.named("native-heap-timers").heapTimers();
        LegResult first = route.leg().materialized().run(OURS);
        LegResult savepoint = route.from(first).endingWith(Ending.NATIVE_SAVEPOINT).run(OURS);
        LegResult ours = route.from(savepoint).run(OURS);

        route.from(ours).parallelism(3).run(OURS);
    }
}
