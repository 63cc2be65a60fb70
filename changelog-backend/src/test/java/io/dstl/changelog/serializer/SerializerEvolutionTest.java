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

import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.Fare;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A newer version of a job reads what an older one wrote: materialized, in the log, and both, and
 * goes on in its own way.
 */
class SerializerEvolutionTest {

    private static final int SOME = 60;

    @TempDir private Path directory;

    @BeforeEach
    @AfterEach
    void deployBefore() {
        Departure.deployBefore();
    }

    @ParameterizedTest
    @EnumSource
    void pojoWithOneMoreField(DelegateBackend delegate) throws Exception {
        evolve(delegate, Fare.BEFORE, Fare.AFTER, () -> {});
    }

    @ParameterizedTest
    @EnumSource
    void avroWithOneMoreField(DelegateBackend delegate) throws Exception {
        evolve(
                delegate,
                StateTypes.AVRO_SPECIFIC,
                StateTypes.AVRO_SPECIFIC,
                Departure::deployAfter);
    }

    /** Nothing is rewritten, but the serializer goes on writing as it did before. */
    @ParameterizedTest
    @EnumSource
    void kryoWithTypesRegisteredOtherwise(DelegateBackend delegate) throws Exception {
        evolve(
                delegate,
                StateTypes.KRYO_REGISTERED,
                StateTypes.KRYO_REGISTERED_OTHERWISE,
                () -> {});
    }

    @ParameterizedTest
    @EnumSource
    void pojoWithASubclassRegistered(DelegateBackend delegate) throws Exception {
        evolve(
                delegate,
                StateTypes.POJO_OR_SUBCLASS,
                StateTypes.POJO_OR_REGISTERED_SUBCLASS,
                () -> {});
    }

    private <V> void evolve(
            DelegateBackend delegate, StateType<V> before, StateType<V> after, Runnable deployment)
            throws Exception {
        try (TypedTask<Long, V> task = task(delegate, "log")) {
            task.start(before).change(SOME).checkpoint();
            deployment.run();
            goOn(task, after);
        }
        deployBefore();
        try (TypedTask<Long, V> task = task(delegate, "materialized")) {
            task.start(before).change(SOME).materialize().checkpoint();
            deployment.run();
            goOn(task, after);
        }
        deployBefore();
        try (TypedTask<Long, V> task = task(delegate, "both")) {
            task.start(before).change(SOME).checkpoint();
            task.materialize().change(SOME).checkpoint().assertOfBothParts();
            deployment.run();
            goOn(task, after);
        }
    }

    private <V> TypedTask<Long, V> task(DelegateBackend delegate, String name) throws Exception {
        Path own = directory.resolve(name);
        return new TypedTask<>(delegate.in(own), own, StateTypes.LONGS);
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
