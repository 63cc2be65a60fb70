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
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.core.execution.RestoreMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;

/** Who may delete what of the checkpoint restored from. */
class RestoreModeIT {

    @ParameterizedTest
    @MatrixRows({"OURS, rocksdb, 2", "OURS, hashmap, 3", "STOCK, rocksdb, 1"})
    void inNoClaimModeTheOldFilesGoAfterTheFirstCheckpoint(
            Flavour before, String backend, int parallelism) throws Exception {
        Route route = Route.named("no-claim").on(backend);
        LegResult old = route.leg().materialized().run(before);
        LegResult next =
                route.from(old)
                        .in(RestoreMode.NO_CLAIM)
                        .parallelism(parallelism)
                        .deleting(route.directoriesOf(old))
                        .failing()
                        .run(OURS);

        assertThat(route.filesOf(old)).isEmpty();
        route.from(next).run(OURS);
    }

    /** FLINK-38307: it restores, and then its first checkpoint fails. */
    @Test
    @ExtendWith(MatrixCase.class)
    void stockCannotTakeItsFirstCheckpointInNoClaimMode() throws Exception {
        Route route = Route.named("stock-no-claim");
        LegResult old = route.leg().run(OURS);

        assertThat(route.from(old).in(RestoreMode.NO_CLAIM).fail(STOCK))
                .contains("does not support enforcing a full snapshot");
    }

    @ParameterizedTest
    @MatrixRows({"OURS, rocksdb", "STOCK, hashmap"})
    void inClaimModeTheOldFilesAreDeletedWhenSubsumed(Flavour before, String backend)
            throws Exception {
        Route route = Route.named("claim").on(backend);
        LegResult old = route.leg().run(before);
        Leg next = route.from(old).in(RestoreMode.CLAIM);
        LegResult materialized = next.materialized().run(OURS);

        assertThat(route.filesOf(old)).isEmpty();
        route.from(materialized).run(OURS);
    }

    @Test
    @ExtendWith(MatrixCase.class)
    void inLegacyModeTheOldFilesStay() throws Exception {
        Route route = Route.named("legacy");
        LegResult old = route.leg().run(OURS);
        List<Path> files = route.filesOf(old);
        LegResult next = route.from(old).in(RestoreMode.LEGACY).materialized().run(OURS);

        assertThat(route.filesOf(old)).containsExactlyInAnyOrderElementsOf(files);
        route.from(old).in(RestoreMode.LEGACY).run(OURS);
        route.from(next).run(OURS);
    }
}
