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
import io.dstl.parity.state.SchemaVersion;
import io.dstl.testkit.Matrix.MatrixRows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The types of states change between legs: POJOs and Avro records gain and lose a field. */
class SchemaIT {

    @ParameterizedTest
    @MatrixRows({"OURS, rocksdb, false", "OURS, hashmap, true", "STOCK, rocksdb, true"})
    void inTheLogAndMaterialized(Flavour before, String backend, boolean materialized)
            throws Exception {
        Route route = Route.named("schema");
        Leg first = route.leg().backend(backend).schema(SchemaVersion.FIRST);
        LegResult old = route.run(before, first.materialized(materialized));
        int since = old.endRound();
        LegResult next =
                route.run(
                        Flavour.OURS,
                        route.leg().backend(backend).from(old).nextSchema(since).failing());

        route.run(
                Flavour.OURS,
                route.leg().backend(backend).from(next).nextSchema(since).parallelism(1));
    }

    /** Of two handles that one subtask restores, both go through both schemas. */
    @ParameterizedTest
    @MatrixRows({"rocksdb", "hashmap"})
    void afterScalingIn(String backend) throws Exception {
        Route route = Route.named("schema-scaled");
        LegResult old =
                route.run(
                        Flavour.OURS,
                        route.leg().backend(backend).schema(SchemaVersion.FIRST).parallelism(3));
        int since = old.endRound();
        LegResult next =
                route.run(
                        Flavour.OURS,
                        route.leg()
                                .backend(backend)
                                .from(old)
                                .nextSchema(since)
                                .parallelism(3)
                                .materialized());
        LegResult scaled =
                route.run(
                        Flavour.OURS,
                        route.leg().backend(backend).from(next).nextSchema(since).parallelism(2));

        route.run(
                Flavour.OURS,
                route.leg().backend(backend).from(scaled).nextSchema(since).materialized());
    }

    /** Which of them depends on what the log holds first. */
    @ParameterizedTest
    @MatrixRows({"rocksdb, false", "rocksdb, true", "hashmap, false"})
    void anIncompatibleChangeNamesTheState(String backend, boolean materialized) throws Exception {
        Route route = Route.named("schema-incompatible");
        Leg first = route.leg().backend(backend).schema(SchemaVersion.FIRST);
        LegResult old = route.run(Flavour.OURS, first.materialized(materialized));

        assertThat(
                        route.fail(
                                Flavour.OURS,
                                route.leg()
                                        .backend(backend)
                                        .from(old)
                                        .schema(SchemaVersion.INCOMPATIBLE)))
                .contains("StateMigrationException")
                .containsPattern("'[a-z]+-pojo'");
    }

    @Test
    void stockReadsWhatOursHasMigrated() throws Exception {
        Route route = Route.named("schema-to-stock");
        LegResult old = route.run(Flavour.OURS, route.leg().schema(SchemaVersion.FIRST));
        int since = old.endRound();
        LegResult next =
                route.run(Flavour.OURS, route.leg().from(old).nextSchema(since).materialized());

        route.run(Flavour.STOCK, route.leg().from(next).nextSchema(since));
    }
}
