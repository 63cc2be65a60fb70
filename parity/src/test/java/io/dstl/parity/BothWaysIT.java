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

import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.parity.model.Cast;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;

/** Retained changelog checkpoints go from Flink's own backend to ours and back. */
class BothWaysIT {

    @ParameterizedTest
    @MatrixRows({
        "rocksdb, false, false, 2",
        "rocksdb, true, false, 3",
        "rocksdb, true, true, 1",
        "hashmap, true, false, 1",
        "hashmap, false, true, 3",
    })
    void oursGoesOnWhereStockEnded(
            String backend, boolean compressed, boolean materialized, int parallelism)
            throws Exception {
        Route route = Route.named("stock-to-ours").on(backend);
        LegResult stock = route.leg().compressed(compressed).materialized(materialized).run(STOCK);

        LegResult ours =
                route.from(stock).compressed(compressed).parallelism(parallelism).run(OURS);

        assertThat(stock.facts.hasMaterialization()).isEqualTo(materialized);
        if (parallelism == 2) {
            assertThat(ours.facts.hasLog()).isTrue();
            assertThat(ours.facts.materializationIds).isEqualTo(stock.facts.materializationIds);
        } else {
            // With a log the first checkpoint is a full one, as tasks may share it.
            assertThat(ours.facts.hasMaterialization()).isTrue();
        }
    }

    @ParameterizedTest
    @MatrixRows({
        "rocksdb, false, false, 3",
        "rocksdb, true, false, 1",
        "rocksdb, false, true, 2",
        "hashmap, true, false, 3",
        "hashmap, false, true, 1",
    })
    void stockGoesOnWhereOursEnded(
            String backend, boolean compressed, boolean materialized, int parallelism)
            throws Exception {
        Route route = Route.named("ours-to-stock").on(backend);
        LegResult ours = route.leg().compressed(compressed).materialized(materialized).run(OURS);

        LegResult stock =
                route.from(ours).compressed(compressed).parallelism(parallelism).run(STOCK);

        assertThat(ours.facts.hasMaterialization()).isEqualTo(materialized);
        assertThat(stock.facts.hasLog()).isTrue();
    }

    @Test
    @ExtendWith(MatrixCase.class)
    void aCheckpointGoesThereAndBackTwice() throws Exception {
        Route route = Route.named("chain");
        LegResult stock = route.leg().run(STOCK);
        LegResult ours = route.from(stock).materialized().run(OURS);
        LegResult stockAgain = route.from(ours).parallelism(3).run(STOCK);
        LegResult oursAgain = route.from(stockAgain).failing().run(OURS);

        assertThat(oursAgain.facts.hasLog()).isTrue();
    }

    /** Scaled in, stock replays older logs over newer ones: no checkpoint of ours lists such. */
    @ParameterizedTest
    @MatrixRows(
            value = {"rocksdb, false", "rocksdb, true", "hashmap, false", "hashmap, true"},
            stoodFor = true)
    void stockGoesOnAfterOursWasScaledOutAndIn(String backend, boolean materialized)
            throws Exception {
        Route route = Route.named("rescaled").on(backend);
        LegResult ours = route.leg().materialized(materialized).run(OURS);
        LegResult scaledOut = route.from(ours).parallelism(3).run(OURS);
        LegResult stock = route.from(scaledOut).parallelism(2).run(STOCK);

        assertThat(scaledOut.facts.hasMaterialization()).isTrue();
        assertThat(stock.facts.hasLog()).isTrue();
    }

    @ParameterizedTest
    @MatrixRows(
            value = {"rocksdb, false", "rocksdb, true", "hashmap, false", "hashmap, true"},
            stoodFor = true)
    void nullValuesOfMapsGoBothWays(String backend, boolean materialized) throws Exception {
        Route route = Route.named("nulls").on(backend);
        LegResult ours = route.leg().nulls(Cast.NULL_NUMBERS).materialized(materialized).run(OURS);
        LegResult oursAgain = route.from(ours).parallelism(3).run(OURS);
        LegResult stock = route.from(oursAgain).parallelism(2).run(STOCK);

        route.from(stock).run(OURS);
    }

    @ParameterizedTest
    @MatrixRows(
            value = {"rocksdb, false", "hashmap, true"},
            stoodFor = true)
    void nullValuesOfStocksMapsComeToOurs(String backend, boolean materialized) throws Exception {
        Route route = Route.named("stock-nulls").on(backend);
        LegResult stock = route.leg().nulls(Cast.NULL_TEXTS).materialized(materialized).run(STOCK);

        route.from(stock).run(OURS);
    }

    /** FLINK-38144. */
    @Test
    @ExtendWith(MatrixCase.class)
    void stockCannotLogANullThatTheSerializerDoesNotTake() throws Exception {
        Route route = Route.named("stock-null-numbers");

        assertThat(route.leg().nulls(Cast.NULL_NUMBERS).fail(STOCK))
                .contains("NullPointerException");
    }

    /** Fault 13: a merge of namespaces is replayed before the user's function is known. */
    @Test
    @ExtendWith(MatrixCase.class)
    void stockCannotReplayItsOwnMergedSessions() throws Exception {
        Route route = Route.named("stock-merges");
        LegResult stock = route.leg().run(STOCK);

        assertThat(route.from(stock).fail(STOCK)).contains("NullPointerException");
    }
}
