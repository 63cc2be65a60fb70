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
import io.dstl.parity.state.SchemaVersion;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;

/** The types of states change between legs: POJOs and Avro records gain and lose a field. */
class SchemaIT {

    @ParameterizedTest
    @MatrixRows({"OURS, rocksdb, false", "OURS, hashmap, true", "STOCK, rocksdb, true"})
    void inTheLogAndMaterialized(Flavour before, String backend, boolean materialized)
            throws Exception {
        Route route = Route.named("schema").on(backend);
        Leg first = route.leg().schema(SchemaVersion.FIRST);
        LegResult old = first.materialized(materialized).run(before);
        int since = old.endRound;
        LegResult next = route.from(old).nextSchema(since).failing().run(OURS);

        route.from(next).nextSchema(since).parallelism(1).run(OURS);
    }

    /** Of two handles that one subtask restores, both go through both schemas. */
    @ParameterizedTest
    @MatrixRows(
            value = {"rocksdb", "hashmap"},
            stoodFor = true)
    void afterScalingIn(String backend) throws Exception {
        Route route = Route.named("schema-scaled").on(backend);
        LegResult old = route.leg().schema(SchemaVersion.FIRST).parallelism(3).run(OURS);
        int since = old.endRound;
        LegResult next = route.from(old).nextSchema(since).parallelism(3).materialized().run(OURS);
        LegResult scaled = route.from(next).nextSchema(since).parallelism(2).run(OURS);

        route.from(scaled).nextSchema(since).materialized().run(OURS);
    }

    /** Which of them depends on what the log holds first. */
    @ParameterizedTest
    @MatrixRows(
            value = {"rocksdb, false", "rocksdb, true", "hashmap, false"},
            stoodFor = true)
    void anIncompatibleChangeNamesTheState(String backend, boolean materialized) throws Exception {
        Route route = Route.named("schema-incompatible").on(backend);
        Leg first = route.leg().schema(SchemaVersion.FIRST);
        LegResult old = first.materialized(materialized).run(OURS);

        assertThat(route.from(old).schema(SchemaVersion.INCOMPATIBLE).fail(OURS))
                .contains("StateMigrationException")
                .containsPattern("'[a-z]+-pojo'");
    }

    @Test
    @ExtendWith(MatrixCase.class)
    void stockReadsWhatOursHasMigrated() throws Exception {
        Route route = Route.named("schema-to-stock");
        LegResult old = route.leg().schema(SchemaVersion.FIRST).run(OURS);
        int since = old.endRound;
        LegResult next = route.from(old).nextSchema(since).materialized().run(OURS);

        route.from(next).nextSchema(since).run(STOCK);
    }
}
