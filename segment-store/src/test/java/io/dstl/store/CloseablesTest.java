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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;

class CloseablesTest {

    private final List<String> closed = new ArrayList<>();

    private ThrowingRunnable<IOException> step(String name) {
        return () -> closed.add(name);
    }

    private ThrowingRunnable<IOException> failing(String name, Throwable failure) {
        return () -> {
            closed.add(name);
            if (failure instanceof Error) {
                throw (Error) failure;
            }
            throw (IOException) failure;
        };
    }

    @Test
    void takesAllStepsInOrder() throws Exception {
        Closeables.<IOException>closeAll(step("a"), step("b"), step("c"));

        assertThat(closed).containsExactly("a", "b", "c");
    }

    @Test
    void throwsTheFirstFailureWhenAllStepsAreTaken() {
        IOException first = new IOException("first");
        Error second = new AssertionError("second");

        assertThatThrownBy(
                        () ->
                                Closeables.<IOException>closeAll(
                                        step("a"),
                                        failing("b", first),
                                        failing("c", second),
                                        step("d")))
                .isSameAs(first)
                .hasSuppressedException(second);
        assertThat(closed).containsExactly("a", "b", "c", "d");
    }

    @Test
    void anErrorIsThrownAsItIs() {
        Error failure = new AssertionError("first");

        assertThatThrownBy(() -> Closeables.<IOException>closeAll(failing("a", failure), step("b")))
                .isSameAs(failure);
        assertThat(closed).containsExactly("a", "b");
    }

    /** As of streams that keep what has failed: it can't be suppressed in itself. */
    @Test
    void oneExceptionMayFailSeveralSteps() {
        IOException failure = new IOException("kept");

        assertThatThrownBy(
                        () ->
                                Closeables.<IOException>closeAll(
                                        failing("a", failure), failing("b", failure), step("c")))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
        assertThat(closed).containsExactly("a", "b", "c");
    }
}
