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
import static io.dstl.parity.leg.Flink.FLINK_2_3;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.parity.leg.Flavour;
import io.dstl.parity.leg.Flink;
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.Leg.Ending;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixRows;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;

/** What can be restored on which Flink, forwards and backwards. */
class VersionIT {

    @ParameterizedTest
    @MatrixRows({
        "FLINK_1_20, STOCK, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, STOCK, hashmap, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, STOCK, rocksdb, CANONICAL_SAVEPOINT, FLINK_2_3",
        "FLINK_1_20, OURS, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, OURS, hashmap, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, OURS, rocksdb, CANONICAL_SAVEPOINT, FLINK_2_3",
        "FLINK_1_20, PLAIN, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, PLAIN, hashmap, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, PLAIN, rocksdb, CANONICAL_SAVEPOINT, FLINK_2_3",
        "FLINK_2_3, STOCK, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_2_3, STOCK, hashmap, CHECKPOINT, FLINK_2_3",
        "FLINK_2_3, STOCK, rocksdb, CANONICAL_SAVEPOINT, FLINK_2_3",
        "FLINK_2_3, PLAIN, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, STOCK, rocksdb, CHECKPOINT, FLINK_2_0",
        "FLINK_1_20, STOCK, rocksdb, CHECKPOINT, FLINK_2_1",
        "FLINK_1_20, STOCK, rocksdb, CHECKPOINT, FLINK_2_2",
        "FLINK_1_20, OURS, hashmap, CHECKPOINT, FLINK_2_0",
        "FLINK_1_20, OURS, hashmap, CHECKPOINT, FLINK_2_1",
        "FLINK_1_20, OURS, hashmap, CHECKPOINT, FLINK_2_2",
        "FLINK_2_0, OURS, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_2_1, OURS, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_2_2, OURS, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_2_3, OURS, rocksdb, CHECKPOINT, FLINK_2_2",
        "FLINK_2_3, OURS, rocksdb, CHECKPOINT, FLINK_2_1",
        "FLINK_2_3, OURS, rocksdb, CANONICAL_SAVEPOINT, FLINK_2_1",
    })
    void oursGoesOn(Flink from, Flavour before, String backend, Ending ending, Flink to)
            throws Exception {
        Route route = Route.named("version-to-ours").on(backend);
        LegResult old = ended(route, from, before, ending);

        LegResult ours = route.from(old).on(to).parallelism(3).failing().run(OURS);

        assertThat(ours.facts.hasLog()).isTrue();
    }

    @ParameterizedTest
    @MatrixRows({
        "FLINK_1_20, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, hashmap, CHECKPOINT, FLINK_2_3",
        "FLINK_1_20, rocksdb, CANONICAL_SAVEPOINT, FLINK_2_3",
        "FLINK_2_3, rocksdb, CHECKPOINT, FLINK_2_3",
        "FLINK_2_3, hashmap, CHECKPOINT, FLINK_2_3",
        "FLINK_2_3, rocksdb, CANONICAL_SAVEPOINT, FLINK_2_3",
        "FLINK_1_20, rocksdb, CHECKPOINT, FLINK_2_0",
        "FLINK_1_20, rocksdb, CHECKPOINT, FLINK_2_1",
        "FLINK_1_20, rocksdb, CHECKPOINT, FLINK_2_2",
        "FLINK_2_3, rocksdb, CHECKPOINT, FLINK_2_1",
    })
    void stockGoesOnWhereOursEnded(Flink from, String backend, Ending ending, Flink to)
            throws Exception {
        Route route = Route.named("version-to-stock").on(backend);
        LegResult ours = ended(route, from, OURS, ending);

        LegResult stock = route.from(ours).on(to).parallelism(3).run(STOCK);

        assertThat(stock.facts.hasLog()).isTrue();
    }

    /** 1.20 writes metadata of version 4 and reads none later; 2.0 those of 5, 2.1 and later 6. */
    @ParameterizedTest
    @MatrixRows(
            value = {
                "FLINK_2_3, OURS, CHECKPOINT, FLINK_1_20, 6",
                "FLINK_2_3, OURS, CANONICAL_SAVEPOINT, FLINK_1_20, 6",
                "FLINK_2_3, PLAIN, CHECKPOINT, FLINK_1_20, 6",
                "FLINK_2_0, OURS, CHECKPOINT, FLINK_1_20, 5",
                "FLINK_2_3, OURS, CHECKPOINT, FLINK_2_0, 6",
                "FLINK_2_1, OURS, CHECKPOINT, FLINK_2_0, 6",
            },
            stoodFor = true)
    void isRefusedWithTheMetadataOfALaterFlink(
            Flink from, Flavour flavour, Ending ending, Flink to, int version) throws Exception {
        Route route = Route.named("version-back");
        LegResult old = ended(route, from, flavour, ending);
        Leg back = route.from(old).on(to).changelog(flavour != PLAIN);

        assertThat(back.fail(flavour))
                .contains("Unrecognized checkpoint version number: " + version);
    }

    /** With a changelog or without: Flink 2 has another Kryo. */
    @ParameterizedTest
    @MatrixRows(
            value = {
                "OURS, State '[a-z-]+' cannot be restored",
                "PLAIN, Missing value for the key",
            },
            stoodFor = true)
    void flink2RefusesWhatKryoWroteBefore(Flavour flavour, String error) throws Exception {
        Route route = Route.named("version-kryo");
        LegResult old = route.leg().changelog(flavour != PLAIN).run(flavour);
        Leg next = route.from(old).on(FLINK_2_3).changelog(flavour != PLAIN);

        assertThat(next.fail(flavour)).containsPattern(error);
    }

    /** A checkpoint of a changelog has both a materialization and a log. */
    private static LegResult ended(Route route, Flink flink, Flavour flavour, Ending ending)
            throws IOException {
        boolean changelog = flavour != PLAIN;
        boolean checkpoint = changelog && ending == Ending.CHECKPOINT;
        Leg leg = route.leg().on(flink).withoutKryo().changelog(changelog).endingWith(ending);
        LegResult ended = leg.materialized(checkpoint).run(flavour);
        assertThat(ended.facts.hasMaterialization()).isEqualTo(checkpoint);
        assertThat(ended.facts.hasLog()).isEqualTo(checkpoint);
        return ended;
    }
}
