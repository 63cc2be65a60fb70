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

import io.dstl.parity.leg.Flavour;
import io.dstl.parity.leg.Flink;
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.Leg.Ending;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixRows;
import org.apache.flink.core.execution.RestoreMode;
import org.junit.jupiter.params.ParameterizedTest;

/** Operators of Flink 2 that use their state asynchronously, by the state API v2. */
class AsyncStateIT {

    @ParameterizedTest
    @MatrixRows({
        "FLINK_2_3, rocksdb",
        "FLINK_2_0, rocksdb",
        "FLINK_2_1, rocksdb",
        "FLINK_2_2, rocksdb",
        "FLINK_2_0, hashmap",
        "FLINK_2_3, hashmap",
    })
    void goesOnAfterFailureAndRescaleWithAndWithoutChangelog(Flink flink, String backend)
            throws Exception {
        Route route = Route.named("async").on(backend);
        LegResult plain = route.leg().on(flink).asynchronous().changelog(false).run(PLAIN);
        LegResult on = route.from(plain).on(flink).failing().materialized().run(OURS);
        LegResult rescaled = route.from(on).on(flink).parallelism(3).failing().run(OURS);
        LegResult off = route.from(rescaled).on(flink).changelog(false).run(OURS);
        LegResult again = route.from(off).on(flink).parallelism(1).materialized().run(OURS);

        assertThat(on.facts.hasMaterialization()).isTrue();
        assertThat(rescaled.facts.hasLog()).isTrue();
        assertThat(off.facts.handles).doesNotContain("ChangelogStateBackendHandleImpl");
        assertThat(again.facts.hasMaterialization()).isTrue();
    }

    @ParameterizedTest
    @MatrixRows(
            value = {
                "FLINK_2_0, rocksdb, FLINK_2_3",
                "FLINK_2_3, hashmap, FLINK_2_3",
                "FLINK_2_3, rocksdb, FLINK_2_1",
            },
            stoodFor = true)
    void stockGoesOnWhereOursEnded(Flink from, String backend, Flink to) throws Exception {
        Route route = Route.named("async-to-stock").on(backend);
        LegResult ours = route.leg().on(from).asynchronous().materialized().run(OURS);
        LegResult rescaled = route.from(ours).on(to).parallelism(3).failing().run(OURS);
        LegResult stock = route.from(rescaled).on(to).run(STOCK);

        assertThat(rescaled.facts.hasLog()).isTrue();
        assertThat(stock.facts.hasLog()).isTrue();
    }

    /**
     * It logs a timer under the key group that happens to be current, which is another one where
     * state is used asynchronously.
     */
    @ParameterizedTest
    @MatrixRows(
            value = {"FLINK_2_3, rocksdb", "FLINK_2_3, hashmap"},
            stoodFor = true)
    void stockCannotChangeTheParallelism(Flink flink, String backend) throws Exception {
        Route route = Route.named("async-stock").on(backend);
        LegResult stock = route.leg().on(flink).asynchronous().run(STOCK);

        assertThat(route.from(stock).on(flink).parallelism(3).fail(STOCK))
                .containsPattern("does not contain (key group )?\\d+");
    }

    @ParameterizedTest
    @MatrixRows(
            value = {
                "FLINK_2_1, OURS, rocksdb",
                "FLINK_2_3, OURS, hashmap",
                "FLINK_2_3, STOCK, rocksdb",
                "FLINK_2_3, STOCK, hashmap",
            },
            stoodFor = true)
    void goesOnFromANativeSavepoint(Flink flink, Flavour before, String backend) throws Exception {
        Route route = Route.named("async-native").on(backend);
        Leg leg = route.leg().on(flink).asynchronous().endingWith(Ending.NATIVE_SAVEPOINT);
        LegResult savepoint = leg.run(before);

        // Stock's has handles of its own changelog, with no log in them.
        assertThat(savepoint.facts.hasLog()).isFalse();
        route.from(savepoint)
                .in(RestoreMode.NO_CLAIM)
                .on(flink)
                .parallelism(1)
                .changelog(false)
                .run(before == STOCK ? STOCK : PLAIN);
        route.from(savepoint).on(flink).parallelism(3).run(OURS);
    }
}
