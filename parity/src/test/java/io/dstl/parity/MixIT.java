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
import static io.dstl.parity.leg.Flavour.OURS_ON_STOCK_STORAGE;
import static io.dstl.parity.leg.Flavour.PLAIN;
import static io.dstl.parity.leg.Flavour.STOCK_ON_OUR_STORAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import io.dstl.testkit.Matrix.MatrixCase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Our backend on Flink's storages, and Flink's backend on ours. */
class MixIT {

    private static final String STORAGE = "state.backend.changelog.storage";

    @Test
    @ExtendWith(MatrixCase.class)
    void oursOnMemoryStorage() throws Exception {
        Route route = Route.named("memory");
        LegResult first = route.leg().with(STORAGE, "memory").failing().run(OURS);
        LegResult materialized = route.from(first).with(STORAGE, "memory").materialized().run(OURS);
        LegResult filesystem = route.from(materialized).parallelism(3).run(OURS);

        assertThat(first.facts.hasLog()).isTrue();
        assertThat(route.filesOf(filesystem)).isNotEmpty();
    }

    @Test
    @ExtendWith(MatrixCase.class)
    void oursOnStocksStorage() throws Exception {
        Route route = Route.named("ours-on-stock");
        LegResult first = route.leg().failing().run(OURS_ON_STOCK_STORAGE);
        LegResult materialized =
                route.from(first).parallelism(3).materialized().run(OURS_ON_STOCK_STORAGE);
        LegResult ours = route.from(materialized).run(OURS);

        route.from(ours).run(OURS_ON_STOCK_STORAGE);
    }

    /**
     * Ours takes over again, as stock cannot replay what its own backend logs once sessions have
     * merged.
     */
    @Test
    void stockOnOurStorageAsAPlugin() throws Exception {
        Route route = Route.named("stock-on-ours");
        LegResult ours = route.leg().compressed(true).run(OURS);
        LegResult mixed = route.from(ours).parallelism(3).run(STOCK_ON_OUR_STORAGE);
        LegResult materialized =
                route.leg().rounds(6).compressed(true).materialized().run(STOCK_ON_OUR_STORAGE);

        assertThat(mixed.facts.hasLog()).isTrue();
        route.from(mixed).run(OURS);
        route.from(materialized).parallelism(1).run(OURS);
    }

    /** It would restore what it had materialized, without the log. */
    @Test
    void stockOnOurStorageRefusesLocalRecovery() throws Exception {
        assertThat(
                        Route.named("stock-on-ours-local")
                                .leg()
                                .with("execution.state-recovery.from-local", "true")
                                .fail(STOCK_ON_OUR_STORAGE))
                .contains("execution.state-recovery.from-local or");
    }

    /** Before it has a key, stock's backend logs the timers that it restores under key group 0. */
    @Test
    void heapTimersOfStockOnOurStorage() throws Exception {
        Route route = Route.named("heap-timers-stock-on-ours").heapTimers();
        LegResult plain = route.leg().changelog(false).run(PLAIN);
        LegResult on = route.from(plain).run(STOCK_ON_OUR_STORAGE);

        assertThat(on.facts.hasLog()).isTrue();
        route.from(on).parallelism(3).run(OURS);
    }
}
