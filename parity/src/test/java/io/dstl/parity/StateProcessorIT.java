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

import io.dstl.parity.job.ParityJob;
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Flink's State Processor API reads checkpoints with a log, with our jar beside it. */
class StateProcessorIT {

    @ParameterizedTest
    @CsvSource({"rocksdb, true", "hashmap, false"})
    void readsTheStateOfACheckpoint(String backend, boolean materialized) throws Exception {
        Route route = Route.named("state-processor").on(backend);
        Leg leg = route.leg();
        LegResult ours = leg.materialized(materialized).run(OURS);
        assertThat(ours.facts.hasLog()).isTrue();

        assertThat(route.from(ours).read(OURS)).isEqualTo(statesOf(ours));
    }

    /** FLINK-37398. */
    @Test
    void needsOurJar() throws Exception {
        Route route = Route.named("state-processor-stock");
        LegResult ours = route.leg().run(OURS);

        assertThat(route.from(ours).failToRead(STOCK)).contains("NullPointerException");
    }

    private static Map<String, String> statesOf(LegResult leg) {
        Map<String, String> states =
                new TreeMap<>(ParityJob.expectedContent(leg.cast, leg.auditedRound));
        states.keySet().removeIf(name -> !name.startsWith("states "));
        // The API goes by the states: of a key that has none it knows nothing.
        states.values().removeIf(content -> content.startsWith("0 "));
        return states;
    }
}
