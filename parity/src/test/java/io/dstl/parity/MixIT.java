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
import org.junit.jupiter.api.Test;

/** Our backend on Flink's storages, and Flink's backend on ours. */
class MixIT {

    private static final String STORAGE = "state.backend.changelog.storage";

    @Test
    void oursOnMemoryStorage() throws Exception {
        Route route = Route.named("memory");
        LegResult first = route.run(Flavour.OURS, route.leg().with(STORAGE, "memory").failing());
        LegResult materialized =
                route.run(
                        Flavour.OURS,
                        route.leg().with(STORAGE, "memory").from(first).materialized());
        LegResult filesystem =
                route.run(Flavour.OURS, route.leg().from(materialized).parallelism(3));

        assertThat(first.facts().hasLog()).isTrue();
        assertThat(route.filesOf(filesystem)).isNotEmpty();
    }

    @Test
    void oursOnStocksStorage() throws Exception {
        Route route = Route.named("ours-on-stock");
        LegResult first = route.run(Flavour.OURS_ON_STOCK_STORAGE, route.leg().failing());
        LegResult materialized =
                route.run(
                        Flavour.OURS_ON_STOCK_STORAGE,
                        route.leg().from(first).parallelism(3).materialized());
        LegResult ours = route.run(Flavour.OURS, route.leg().from(materialized));

        route.run(Flavour.OURS_ON_STOCK_STORAGE, route.leg().from(ours));
    }

    /**
     * Ours takes over again, as stock cannot replay what its own backend logs once sessions have
     * merged.
     */
    @Test
    void stockOnOurStorageAsAPlugin() throws Exception {
        Route route = Route.named("stock-on-ours");
        LegResult ours = route.run(Flavour.OURS, route.leg().compressed(true));
        LegResult mixed =
                route.run(Flavour.STOCK_ON_OUR_STORAGE, route.leg().from(ours).parallelism(3));
        LegResult materialized =
                route.run(
                        Flavour.STOCK_ON_OUR_STORAGE,
                        route.leg().rounds(6).compressed(true).materialized());

        assertThat(mixed.facts().hasLog()).isTrue();
        route.run(Flavour.OURS, route.leg().from(mixed));
        route.run(Flavour.OURS, route.leg().from(materialized).parallelism(1));
    }
}
