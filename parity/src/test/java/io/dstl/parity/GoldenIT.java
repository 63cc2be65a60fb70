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
import io.dstl.parity.leg.GoldenCheckpoint;
import io.dstl.parity.leg.Leg;
import io.dstl.parity.leg.LegResult;
import io.dstl.parity.leg.Route;
import java.nio.file.Path;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checkpoints that were taken by Flink's own backend and by earlier versions of ours stay readable.
 * They are taken anew, which only a change of the job calls for, by
 *
 * <pre>mvn -B verify -pl parity -am -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false \
 *   -Dit.test=GoldenIT -Dfailsafe.failIfNoSpecifiedTests=false -Dparity.golden=write</pre>
 */
class GoldenIT {

    private static final String WRITE = "parity.golden";

    @ParameterizedTest
    @CsvSource({
        "STOCK, stock-plain, hashmap, false",
        "STOCK, stock-compressed, rocksdb, true",
        "OURS, ours-plain, hashmap, false",
        "OURS, ours-compressed, rocksdb, true",
    })
    @EnabledIfSystemProperty(named = WRITE, matches = "write")
    void writes(Flavour flavour, String name, String backend, boolean materialized)
            throws Exception {
        Path directory = GoldenCheckpoint.directory();
        Route route = Route.in(directory).on(backend);
        Leg leg = route.leg().compressed(materialized).parallelism(1).rounds(1);
        LegResult result = leg.materialized(materialized).run(flavour);

        GoldenCheckpoint.named(name).keep(directory, result);
    }

    @ParameterizedTest
    @CsvSource({
        "stock-plain, OURS, hashmap, 2",
        "stock-compressed, OURS, rocksdb, 1",
        "ours-plain, OURS, hashmap, 1",
        "ours-compressed, OURS, rocksdb, 2",
        "ours-plain, STOCK, hashmap, 2",
        "ours-compressed, STOCK, rocksdb, 1",
    })
    @DisabledIfSystemProperty(named = WRITE, matches = "write")
    void restores(String name, Flavour flavour, String backend, int parallelism) throws Exception {
        Path directory = GoldenCheckpoint.directory();
        LegResult golden = GoldenCheckpoint.named(name).unpack(directory);
        Route route = Route.in(directory).on(backend);
        LegResult result = route.from(golden).parallelism(parallelism).run(flavour);

        assertThat(result.endRound).isGreaterThan(golden.endRound);
    }
}
