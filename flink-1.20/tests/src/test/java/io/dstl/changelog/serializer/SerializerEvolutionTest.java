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

import io.dstl.changelog.serializer.TaskAttempts.Changelog;
import io.dstl.changelog.serializer.type.Cargo;
import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.Fare;
import io.dstl.changelog.serializer.type.Hangar;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import io.dstl.changelog.serializer.type.Taxiway;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.testkit.Matrix.MatrixRows;
import java.nio.file.Path;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.util.StateMigrationException;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A newer version of a job reads what an older one wrote: materialized, in the log, and both, and
 * goes on in its own way. It does so without a changelog too, or else the evolution would be none
 * that Flink supports.
 */
class SerializerEvolutionTest {
    private static final int SOME = 60;

    @TempDir private Path directory;

    /** Make the job's classes those of its older, and of its newer version. */
    private Runnable before = () -> {};

    private Runnable after = () -> {};

    @BeforeEach
    @AfterEach
    void reset() {
        Departure.deployBefore();
        Cargo.deployBefore();
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HEAP"})
    void pojoWithOneMoreField(Delegate delegate) throws Exception {
        evolve(delegate, Fare.BEFORE, Fare.AFTER);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HEAP"})
    void avroWithOneMoreField(Delegate delegate) throws Exception {
        before = Departure::deployBefore;
        after = Departure::deployAfter;
        evolve(delegate, StateTypes.AVRO_SPECIFIC, StateTypes.AVRO_SPECIFIC);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HEAP"})
    void avroGenericWhoseFieldMayBeNull(Delegate delegate) throws Exception {
        evolve(delegate, Taxiway.BEFORE, Taxiway.OF_ANY_SURFACE);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HEAP"})
    void avroReflectWithOneMoreField(Delegate delegate) throws Exception {
        try (Hangar hangar = Hangar.compile(directory.resolve("jars"));
                TemporaryClassLoaderContext ignored =
                        TemporaryClassLoaderContext.of(hangar.before())) {
            before = () -> Thread.currentThread().setContextClassLoader(hangar.before());
            after = () -> Thread.currentThread().setContextClassLoader(hangar.after());
            evolve(delegate, hangar.beforeDoors(), hangar.withDoors());
        }
    }

    /**
     * Flink reads a generic record by its older schema and writes it by the newer one, which asks
     * for a field that the record lacks. The checkpoint is as good as before.
     */
    @ForEachValue
    void avroGenericWithOneMoreFieldIsRefusedByRocksDb(Changelog changelog) throws Exception {
        try (TypedTask<Long, GenericRecord> task = task(Delegate.ROCKSDB, "refused", changelog)) {
            task.start(Taxiway.BEFORE).change(SOME).checkpoint().assertOfLogOnly().kill();

            assertThatThrownBy(() -> task.start(Taxiway.WITH_LIGHTS))
                    .isInstanceOf(StateMigrationException.class)
                    .hasRootCauseInstanceOf(IndexOutOfBoundsException.class);

            task.kill().start(Taxiway.BEFORE);
        }
    }

    /** Nothing is rewritten, but the serializer goes on writing as it did before. */
    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HEAP"})
    void kryoWithTypesRegisteredOtherwise(Delegate delegate) throws Exception {
        evolve(delegate, StateTypes.KRYO_REGISTERED, StateTypes.KRYO_REGISTERED_OTHERWISE);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB", "HEAP"})
    void pojoWithASubclassRegistered(Delegate delegate) throws Exception {
        evolve(delegate, StateTypes.POJO_OR_SUBCLASS, StateTypes.POJO_OR_REGISTERED_SUBCLASS);
    }

    /** In the change set that describes the state, and in a later one. */
    @ForEachValue
    void subclassMetOnceItsStateIsDescribed(Changelog changelog) throws Exception {
        deployCargo();
        try (TypedTask<Long, Cargo> task = task(Delegate.ROCKSDB, "one", changelog)) {
            task.start(Cargo.TYPE).change(SOME).change(SOME, Cargo.LIVE).checkpoint();
            task.assertOfLogOnly();
            goOn(task, Cargo.TYPE);
        }
        try (TypedTask<Long, Cargo> task = task(Delegate.ROCKSDB, "two", changelog)) {
            task.start(Cargo.TYPE).change(SOME).checkpoint();
            task.change(SOME, Cargo.LIVE).checkpoint().assertOfLogOnly();
            goOn(task, Cargo.TYPE);
        }
    }

    @ForEachValue
    void subclassThatTheBaseDoesNotKnow(Changelog changelog) throws Exception {
        deployCargo();
        try (TypedTask<Long, Cargo> task = task(Delegate.ROCKSDB, "both", changelog)) {
            task.start(Cargo.TYPE).change(SOME).change(SOME, Cargo.LIVE).checkpoint();
            task.materialize().change(SOME, Cargo.FROZEN).checkpoint().assertOfBothParts();
            goOn(task, Cargo.TYPE);
        }
    }

    private void deployCargo() {
        before = Cargo::deployBefore;
        after = Cargo::deployAfter;
    }

    private <V> void evolve(Delegate delegate, StateType<V> older, StateType<V> newer)
            throws Exception {
        try (TypedTask<Long, V> task = task(delegate, "off", Changelog.OFF)) {
            task.start(older).change(SOME).checkpoint();
            goOn(task, newer);
        }
        try (TypedTask<Long, V> task = task(delegate, "log", Changelog.ON)) {
            task.start(older).change(SOME).checkpoint().assertOfLogOnly();
            goOn(task, newer);
        }
        try (TypedTask<Long, V> task = task(delegate, "materialized", Changelog.ON)) {
            task.start(older).change(SOME).materialize().checkpoint().assertMaterializedOnly();
            goOn(task, newer);
        }
        try (TypedTask<Long, V> task = task(delegate, "both", Changelog.ON)) {
            task.start(older).change(SOME).checkpoint();
            task.materialize().change(SOME).checkpoint().assertOfBothParts();
            goOn(task, newer);
        }
    }

    private <V> TypedTask<Long, V> task(Delegate delegate, String name, Changelog changelog)
            throws Exception {
        Path own = directory.resolve(name);
        return new TypedTask<>(delegate, own, StateTypes.LONGS, null, changelog);
    }

    /**
     * In the newer version: also when it fails before it has changed, or materialized, anything.
     * The older one is deployed then.
     */
    private <V> void goOn(TypedTask<Long, V> task, StateType<V> newer) throws Exception {
        after.run();
        task.kill().start(newer).checkpoint();
        task.kill().start(newer).change(SOME, Departure.LATER).checkpoint();
        task.kill().start(newer).change(SOME, Departure.LATER).materialize().checkpoint();
        task.change(SOME, Departure.LATER).checkpoint().assertOfBothParts();
        task.kill().start(newer).kill();
        before.run();
    }
}
