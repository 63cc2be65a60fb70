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
package io.dstl.bench.fleet;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.UnaryOperator;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Lists segments as the TaskManagers do that have dstl's jar: by the class that is in it. */
final class OwnHandles implements UnaryOperator<StreamStateHandle> {
    private static final String CLASS = "io.dstl.registry.LogSegmentHandle";

    private final MethodHandle listed;

    private OwnHandles(MethodHandle listed) {
        this.listed = listed;
    }

    /**
     * @throws IllegalStateException if the jar is not among Flink's libraries, or is another
     *     version
     */
    static OwnHandles ofTheJar() {
        try {
            return new OwnHandles(
                    MethodHandles.publicLookup()
                            .findStatic(
                                    Class.forName(CLASS),
                                    "of",
                                    MethodType.methodType(
                                            StreamStateHandle.class, StreamStateHandle.class)));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "dstl's jar in lib/ has no " + CLASS + ".of: build it from this checkout", e);
        }
    }

    @Override
    public StreamStateHandle apply(StreamStateHandle segment) {
        StreamStateHandle own;
        try {
            own = (StreamStateHandle) listed.invokeExact(segment);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("Could not list " + segment, t);
        }
        if (own == segment) {
            throw new IllegalStateException(
                    "dstl's jar is not beside Flink's libraries: " + segment + " stays Flink's");
        }
        return own;
    }
}
