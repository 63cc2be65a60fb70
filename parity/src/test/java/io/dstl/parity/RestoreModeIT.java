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
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixRows;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.core.execution.RestoreMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Who may delete what of the checkpoint restored from. */
class RestoreModeIT {

    @ParameterizedTest
    @MatrixRows({"OURS, rocksdb, 2", "OURS, hashmap, 3", "STOCK, rocksdb, 1"})
    void inNoClaimModeTheOldFilesGoAfterTheFirstCheckpoint(
            Flavour before, String backend, int parallelism) throws Exception {
        Route route = Route.named("no-claim");
        LegResult old = route.run(before, route.leg().backend(backend).materialized());
        LegResult next =
                route.run(
                        Flavour.OURS,
                        route.leg()
                                .backend(backend)
                                .from(old)
                                .in(RestoreMode.NO_CLAIM)
                                .parallelism(parallelism)
                                .deleting(route.directoriesOf(old))
                                .failing());

        assertThat(route.filesOf(old)).isEmpty();
        route.run(Flavour.OURS, route.leg().backend(backend).from(next));
    }

    /** FLINK-38307: it restores, and then its first checkpoint fails. */
    @Test
    void stockCannotTakeItsFirstCheckpointInNoClaimMode() throws Exception {
        Route route = Route.named("stock-no-claim");
        LegResult old = route.run(Flavour.OURS, route.leg());

        assertThat(route.fail(Flavour.STOCK, route.leg().from(old).in(RestoreMode.NO_CLAIM)))
                .contains("does not support enforcing a full snapshot");
    }

    @ParameterizedTest
    @MatrixRows({"OURS, rocksdb", "STOCK, hashmap"})
    void inClaimModeTheOldFilesAreDeletedWhenSubsumed(Flavour before, String backend)
            throws Exception {
        Route route = Route.named("claim");
        LegResult old = route.run(before, route.leg().backend(backend));
        Leg next = route.leg().backend(backend).from(old).in(RestoreMode.CLAIM);
        LegResult materialized = route.run(Flavour.OURS, next.materialized());

        assertThat(route.filesOf(old)).isEmpty();
        route.run(Flavour.OURS, route.leg().backend(backend).from(materialized));
    }

    @Test
    void inLegacyModeTheOldFilesStay() throws Exception {
        Route route = Route.named("legacy");
        LegResult old = route.run(Flavour.OURS, route.leg());
        List<Path> files = route.filesOf(old);
        LegResult next =
                route.run(
                        Flavour.OURS, route.leg().from(old).in(RestoreMode.LEGACY).materialized());

        assertThat(route.filesOf(old)).containsExactlyInAnyOrderElementsOf(files);
        route.run(Flavour.OURS, route.leg().from(old).in(RestoreMode.LEGACY));
        route.run(Flavour.OURS, route.leg().from(next));
    }
}
