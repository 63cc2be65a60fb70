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
import static io.dstl.parity.leg.Flink.FLINK_1;
import static io.dstl.parity.leg.Flink.FLINK_2;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.parity.leg.Flavour;
import io.dstl.parity.leg.Flink;
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.Leg.Ending;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import java.io.IOException;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;

/** What can be restored on which Flink: from 1.20 to 2, on 2, and not from 2 to 1.20. */
class VersionIT {

    @ParameterizedTest
    @MatrixRows({
        "FLINK_1, STOCK, rocksdb, CHECKPOINT, FLINK_2",
        "FLINK_1, STOCK, hashmap, CHECKPOINT, FLINK_2",
        "FLINK_1, STOCK, rocksdb, CANONICAL_SAVEPOINT, FLINK_2",
        "FLINK_1, OURS, rocksdb, CHECKPOINT, FLINK_2",
        "FLINK_1, OURS, hashmap, CHECKPOINT, FLINK_2",
        "FLINK_1, OURS, rocksdb, CANONICAL_SAVEPOINT, FLINK_2",
        "FLINK_1, PLAIN, rocksdb, CHECKPOINT, FLINK_2",
        "FLINK_1, PLAIN, hashmap, CHECKPOINT, FLINK_2",
        "FLINK_1, PLAIN, rocksdb, CANONICAL_SAVEPOINT, FLINK_2",
        "FLINK_2, STOCK, rocksdb, CHECKPOINT, FLINK_2",
        "FLINK_2, STOCK, hashmap, CHECKPOINT, FLINK_2",
        "FLINK_2, STOCK, rocksdb, CANONICAL_SAVEPOINT, FLINK_2",
        "FLINK_2, PLAIN, rocksdb, CHECKPOINT, FLINK_2",
        "FLINK_2, OURS, rocksdb, CHECKPOINT, FLINK_2",
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
        "FLINK_1, rocksdb, CHECKPOINT, FLINK_2",
        "FLINK_1, hashmap, CHECKPOINT, FLINK_2",
        "FLINK_1, rocksdb, CANONICAL_SAVEPOINT, FLINK_2",
        "FLINK_2, rocksdb, CHECKPOINT, FLINK_2",
        "FLINK_2, hashmap, CHECKPOINT, FLINK_2",
        "FLINK_2, rocksdb, CANONICAL_SAVEPOINT, FLINK_2",
    })
    void stockGoesOnWhereOursEnded(Flink from, String backend, Ending ending, Flink to)
            throws Exception {
        Route route = Route.named("version-to-stock").on(backend);
        LegResult ours = ended(route, from, OURS, ending);

        LegResult stock = route.from(ours).on(to).parallelism(3).run(STOCK);

        assertThat(stock.facts.hasLog()).isTrue();
    }

    /** The metadata of Flink 2.3 is of version 6, and 1.20 reads those to version 4. */
    @ExtendWith(MatrixCase.class)
    @ParameterizedTest
    @MatrixRows({
        "OURS, CHECKPOINT, OURS",
        "OURS, CANONICAL_SAVEPOINT, OURS",
        "STOCK, CHECKPOINT, STOCK",
    })
    void flink1RefusesTheMetadataOfFlink2(Flavour before, Ending ending, Flavour after)
            throws Exception {
        Route route = Route.named("version-back");
        LegResult old = ended(route, FLINK_2, before, ending);

        assertThat(route.from(old).on(FLINK_1).fail(after))
                .contains("Unrecognized checkpoint version number: 6");
    }

    /** With a changelog or without: Flink 2 has another Kryo. */
    @ExtendWith(MatrixCase.class)
    @ParameterizedTest
    @MatrixRows({
        "OURS, State '[a-z-]+' cannot be restored",
        "PLAIN, Missing value for the key",
    })
    void flink2RefusesWhatKryoWroteOnFlink1(Flavour flavour, String error) throws Exception {
        Route route = Route.named("version-kryo");
        LegResult old = route.leg().changelog(flavour != PLAIN).run(flavour);
        Leg next = route.from(old).on(FLINK_2).changelog(flavour != PLAIN);

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
