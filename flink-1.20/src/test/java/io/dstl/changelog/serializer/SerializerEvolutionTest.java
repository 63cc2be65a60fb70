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
package io.dstl.changelog.serializer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.Fare;
import io.dstl.changelog.serializer.type.Hangar;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import io.dstl.changelog.serializer.type.Taxiway;
import io.dstl.testkit.MatrixRows;
import java.nio.file.Path;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.util.StateMigrationException;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A newer version of a job reads what an older one wrote: materialized, in the log, and both, and
 * goes on in its own way. It does so without a changelog too, or else the evolution would be none
 * that Flink supports.
 */
class SerializerEvolutionTest {

    private static final int SOME = 60;

    private static final Deployment SPECIFIC =
            new Deployment() {
                @Override
                public void deployBefore() {
                    Departure.deployBefore();
                }

                @Override
                public void deployAfter() {
                    Departure.deployAfter();
                }
            };

    @TempDir private Path directory;

    @BeforeEach
    @AfterEach
    void reset() {
        SPECIFIC.deployBefore();
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HASHMAP"})
    void pojoWithOneMoreField(DelegateBackend delegate) throws Exception {
        evolve(delegate, Fare.BEFORE, Fare.AFTER, Deployment.NOTHING);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HASHMAP"})
    void avroWithOneMoreField(DelegateBackend delegate) throws Exception {
        evolve(delegate, StateTypes.AVRO_SPECIFIC, StateTypes.AVRO_SPECIFIC, SPECIFIC);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HASHMAP"})
    void avroGenericWhoseFieldMayBeNull(DelegateBackend delegate) throws Exception {
        evolve(delegate, Taxiway.BEFORE, Taxiway.OF_ANY_SURFACE, Deployment.NOTHING);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HASHMAP"})
    void avroReflectWithOneMoreField(DelegateBackend delegate) throws Exception {
        try (Hangar hangar = Hangar.compile(directory.resolve("jars"));
                TemporaryClassLoaderContext ignored =
                        TemporaryClassLoaderContext.of(hangar.before())) {
            evolve(delegate, hangar.beforeDoors(), hangar.withDoors(), inContextOf(hangar));
        }
    }

    private static Deployment inContextOf(Hangar hangar) {
        return new Deployment() {
            @Override
            public void deployBefore() {
                Thread.currentThread().setContextClassLoader(hangar.before());
            }

            @Override
            public void deployAfter() {
                Thread.currentThread().setContextClassLoader(hangar.after());
            }
        };
    }

    /**
     * Flink reads a generic record by its older schema and writes it by the newer one, which asks
     * for a field that the record lacks. The checkpoint is as good as before.
     */
    @ParameterizedTest
    @EnumSource
    void avroGenericWithOneMoreFieldIsRefusedByRocksDb(Changelog changelog) throws Exception {
        try (TypedTask<Long, GenericRecord> task =
                task(DelegateBackend.ROCKSDB, "refused", changelog)) {
            task.start(Taxiway.BEFORE).change(SOME).checkpoint().assertOfLogOnly().kill();

            assertThatThrownBy(() -> task.start(Taxiway.WITH_LIGHTS))
                    .isInstanceOf(StateMigrationException.class)
                    .hasRootCauseInstanceOf(IndexOutOfBoundsException.class);

            task.kill().start(Taxiway.BEFORE);
        }
    }

    /** Nothing is rewritten, but the serializer goes on writing as it did before. */
    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HASHMAP"})
    void kryoWithTypesRegisteredOtherwise(DelegateBackend delegate) throws Exception {
        evolve(
                delegate,
                StateTypes.KRYO_REGISTERED,
                StateTypes.KRYO_REGISTERED_OTHERWISE,
                Deployment.NOTHING);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HASHMAP"})
    void pojoWithASubclassRegistered(DelegateBackend delegate) throws Exception {
        evolve(
                delegate,
                StateTypes.POJO_OR_SUBCLASS,
                StateTypes.POJO_OR_REGISTERED_SUBCLASS,
                Deployment.NOTHING);
    }

    private <V> void evolve(
            DelegateBackend delegate,
            StateType<V> before,
            StateType<V> after,
            Deployment deployment)
            throws Exception {
        try (TypedTask<Long, V> task = task(delegate, "off", Changelog.OFF)) {
            task.start(before).change(SOME).checkpoint();
            deployment.deployAfter();
            goOn(task, after);
        }
        deployment.deployBefore();
        try (TypedTask<Long, V> task = task(delegate, "log", Changelog.ON)) {
            task.start(before).change(SOME).checkpoint().assertOfLogOnly();
            deployment.deployAfter();
            goOn(task, after);
        }
        deployment.deployBefore();
        try (TypedTask<Long, V> task = task(delegate, "materialized", Changelog.ON)) {
            task.start(before).change(SOME).materialize().checkpoint().assertMaterializedOnly();
            deployment.deployAfter();
            goOn(task, after);
        }
        deployment.deployBefore();
        try (TypedTask<Long, V> task = task(delegate, "both", Changelog.ON)) {
            task.start(before).change(SOME).checkpoint();
            task.materialize().change(SOME).checkpoint().assertOfBothParts();
            deployment.deployAfter();
            goOn(task, after);
        }
    }

    private <V> TypedTask<Long, V> task(DelegateBackend delegate, String name, Changelog changelog)
            throws Exception {
        Path own = directory.resolve(name);
        return new TypedTask<>(delegate.in(own), own, StateTypes.LONGS, null, changelog);
    }

    /** Also when it fails before it has changed, or materialized, anything. */
    private <V> void goOn(TypedTask<Long, V> task, StateType<V> after) throws Exception {
        task.kill().start(after).checkpoint();
        task.kill().start(after).change(SOME, Departure.LATER).checkpoint();
        task.kill().start(after).change(SOME, Departure.LATER).materialize().checkpoint();
        task.change(SOME, Departure.LATER).checkpoint().assertOfBothParts();
        task.kill().start(after);
    }
}
