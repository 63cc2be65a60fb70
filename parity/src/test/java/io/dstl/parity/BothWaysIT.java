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
import io.dstl.parity.model.Cast;
import io.dstl.testkit.Matrix.MatrixRows;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
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
        Route route = Route.named("stock-to-ours");
        Leg first = route.leg().backend(backend).compressed(compressed);
        LegResult stock = route.run(Flavour.STOCK, first.materialized(materialized));

        Leg second = route.leg().backend(backend).compressed(compressed).from(stock);
        LegResult ours = route.run(Flavour.OURS, second.parallelism(parallelism));

        assertThat(stock.facts().hasMaterialization()).isEqualTo(materialized);
        assertThat(ours.facts().hasLog()).isTrue();
        TreeSet<Long> ids = stock.facts().materializationIds();
        if (parallelism == 1) {
            // Subtasks that are merged go on with the highest of theirs.
            assertThat(ids).containsAll(ours.facts().materializationIds());
            assertThat(ids.last()).isEqualTo(ours.facts().materializationIds().last());
        } else {
            assertThat(ours.facts().materializationIds()).isEqualTo(ids);
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
        Route route = Route.named("ours-to-stock");
        Leg first = route.leg().backend(backend).compressed(compressed);
        LegResult ours = route.run(Flavour.OURS, first.materialized(materialized));

        Leg second = route.leg().backend(backend).compressed(compressed).from(ours);
        LegResult stock = route.run(Flavour.STOCK, second.parallelism(parallelism));

        assertThat(ours.facts().hasMaterialization()).isEqualTo(materialized);
        assertThat(stock.facts().hasLog()).isTrue();
    }

    @Test
    void aCheckpointGoesThereAndBackTwice() throws Exception {
        Route route = Route.named("chain");
        LegResult stock = route.run(Flavour.STOCK, route.leg());
        LegResult ours = route.run(Flavour.OURS, route.leg().from(stock).materialized());
        LegResult stockAgain = route.run(Flavour.STOCK, route.leg().from(ours).parallelism(3));
        LegResult oursAgain = route.run(Flavour.OURS, route.leg().from(stockAgain));

        assertThat(oursAgain.facts().hasLog()).isTrue();
    }

    @ParameterizedTest
    @MatrixRows({"rocksdb, false", "rocksdb, true", "hashmap, false", "hashmap, true"})
    void nullValuesOfMapsGoBothWays(String backend, boolean materialized) throws Exception {
        Route route = Route.named("nulls");
        Leg first = route.leg().backend(backend).nulls(Cast.NULL_NUMBERS);
        LegResult ours = route.run(Flavour.OURS, first.materialized(materialized));
        LegResult oursAgain =
                route.run(Flavour.OURS, route.leg().backend(backend).from(ours).parallelism(3));
        // Scaled in, stock replays older logs over newer ones, nulls or not.
        LegResult stock =
                route.run(
                        Flavour.STOCK, route.leg().backend(backend).from(oursAgain).parallelism(3));

        route.run(Flavour.OURS, route.leg().backend(backend).from(stock));
    }

    @ParameterizedTest
    @MatrixRows({"rocksdb, false", "hashmap, true"})
    void nullValuesOfStocksMapsComeToOurs(String backend, boolean materialized) throws Exception {
        Route route = Route.named("stock-nulls");
        Leg first = route.leg().backend(backend).nulls(Cast.NULL_TEXTS);
        LegResult stock = route.run(Flavour.STOCK, first.materialized(materialized));

        route.run(Flavour.OURS, route.leg().backend(backend).from(stock));
    }

    /** FLINK-38144. */
    @Test
    void stockCannotLogANullThatTheSerializerDoesNotTake() throws Exception {
        Route route = Route.named("stock-null-numbers");

        assertThat(route.fail(Flavour.STOCK, route.leg().nulls(Cast.NULL_NUMBERS)))
                .contains("NullPointerException");
    }

    /** Fault 13: a merge of namespaces is replayed before the user's function is known. */
    @Test
    void stockCannotReplayItsOwnMergedSessions() throws Exception {
        Route route = Route.named("stock-merges");
        LegResult stock = route.run(Flavour.STOCK, route.leg());

        assertThat(route.fail(Flavour.STOCK, route.leg().from(stock)))
                .contains("NullPointerException");
    }
}
