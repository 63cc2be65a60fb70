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
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** Looks for the service once. If it is not found, each call fails with the reason. */
final class FoundVersion {
    private static final FoundVersion OF_THIS_PROCESS = in(FlinkVersion.class.getClassLoader());

    private final Optional<FlinkVersion> version;
    private final Optional<DelegateSupport> support;
    private final String problem;
    @Nullable private final Throwable cause;

    private FoundVersion(FlinkVersion version) {
        this.version = Optional.of(version);
        this.support = Optional.of(version.delegates());
        this.problem = "";
        this.cause = null;
    }

    private FoundVersion(String problem, @Nullable Throwable cause) {
        this.version = Optional.empty();
        this.support = Optional.empty();
        this.problem = problem;
        this.cause = cause;
    }

    static FlinkVersion get() {
        return OF_THIS_PROCESS.orThrow();
    }

    static DelegateSupport support() {
        return OF_THIS_PROCESS.support.orElseThrow(OF_THIS_PROCESS::failure);
    }

    /**
     * @param loader the jar's: a task's would search the user's classes
     */
    static FoundVersion in(ClassLoader loader) {
        List<FlinkVersion> known = new ArrayList<>();
        try {
            ServiceLoader.load(FlinkVersion.class, loader).forEach(known::add);
            return of(known, loader);
        } catch (ServiceConfigurationError | LinkageError e) {
            return new FoundVersion(
                    "The service "
                            + FlinkVersion.class.getName()
                            + " does not load: Flink's RocksDB backend has to be on the class path"
                            + " too, in a version that the dstl-changelog jar is for",
                    e);
        }
    }

    private static FoundVersion of(List<FlinkVersion> known, ClassLoader loader) {
        if (known.isEmpty()) {
            return new FoundVersion(
                    "META-INF/services/"
                            + FlinkVersion.class.getName()
                            + " names 0 implementations: put one whole dstl-changelog jar into"
                            + " Flink's lib/",
                    null);
        }
        List<FlinkVersion> here =
                known.stream()
                        .filter(version -> isThere(version.classOfItsOwn(), loader))
                        .collect(Collectors.toList());
        if (here.size() == 1) {
            return new FoundVersion(here.get(0));
        }
        String classes =
                known.stream().map(FlinkVersion::classOfItsOwn).collect(Collectors.joining(", "));
        return new FoundVersion(
                here.isEmpty()
                        ? "Flink's RocksDB backend has to be on the class path too, in a version"
                                + " that the dstl-changelog jar is for: there is none of "
                                + classes
                        : "More than one of "
                                + classes
                                + " is on the class path: see that lib/ has the jars of one Flink"
                                + " and one dstl-changelog jar",
                null);
    }

    private static boolean isThere(String className, ClassLoader loader) {
        return loader.getResource(className.replace('.', '/') + ".class") != null;
    }

    FlinkVersion orThrow() {
        return version.orElseThrow(this::failure);
    }

    private IllegalStateException failure() {
        return new IllegalStateException(problem, cause);
    }
}
