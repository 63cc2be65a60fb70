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
package io.dstl.changelog.delegate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import javax.annotation.Nullable;

/** The service, looked for once. What it was not found for is told each time. */
final class FoundSupport {
    private static final FoundSupport OF_THIS_PROCESS = in(DelegateSupport.class.getClassLoader());

    private final Optional<DelegateSupport> support;
    private final String problem;
    @Nullable private final Throwable cause;

    private FoundSupport(
            Optional<DelegateSupport> support, String problem, @Nullable Throwable cause) {
        this.support = support;
        this.problem = problem;
        this.cause = cause;
    }

    static DelegateSupport get() {
        return OF_THIS_PROCESS.orThrow();
    }

    /**
     * @param loader the jar's: a task's would look through the user's classes
     */
    static FoundSupport in(ClassLoader loader) {
        List<DelegateSupport> found = new ArrayList<>();
        try {
            ServiceLoader.load(DelegateSupport.class, loader).forEach(found::add);
        } catch (ServiceConfigurationError | LinkageError e) {
            return new FoundSupport(
                    Optional.empty(),
                    "The service "
                            + DelegateSupport.class.getName()
                            + " does not load: Flink's RocksDB backend has to be on the class path"
                            + " too, in a version that the dstl-changelog jar is for",
                    e);
        }
        if (found.size() == 1) {
            return new FoundSupport(Optional.of(found.get(0)), "", null);
        }
        return new FoundSupport(
                Optional.empty(),
                "META-INF/services/"
                        + DelegateSupport.class.getName()
                        + " names "
                        + found.size()
                        + " implementations: put one whole dstl-changelog jar into Flink's lib/",
                null);
    }

    DelegateSupport orThrow() {
        return support.orElseThrow(() -> new IllegalStateException(problem, cause));
    }
}
