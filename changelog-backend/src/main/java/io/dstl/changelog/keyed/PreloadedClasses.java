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
package io.dstl.changelog.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The classes that a TaskManager loads for its first job and the restore of its state: Flink's,
 * dstl's, and those of the libraries of both. No user's class is among them.
 *
 * <p>Their names are in a file of the jar, in the order of the alphabet. {@code
 * build/preloaded-classes.sh} adds what a JVM has logged of a run. A name that this Flink does not
 * have is passed over, as the file is for all versions.
 *
 * <p>Threading: any thread.
 */
final class PreloadedClasses {
    private static final Logger LOG = LoggerFactory.getLogger(PreloadedClasses.class);

    private static final String FILE = "preloaded-classes.txt";
    private static final String COMMENT = "#";

    private final List<String> names;
    private final ClassLoader loader;

    /**
     * @param names of {@link Class#getName()}
     */
    PreloadedClasses(List<String> names, ClassLoader loader) {
        this.names = List.copyOf(names);
        this.loader = requireNonNull(loader);
    }

    /** Those of dstl's jar, for the class loader that has it. */
    static PreloadedClasses ofJar() throws IOException {
        try (InputStream stream = PreloadedClasses.class.getResourceAsStream(FILE)) {
            if (stream == null) {
                throw new IOException("dstl's jar is damaged: it has no " + FILE);
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(stream, UTF_8));
            return new PreloadedClasses(
                    lines.lines()
                            .filter(line -> !line.startsWith(COMMENT))
                            .collect(Collectors.toUnmodifiableList()),
                    PreloadedClasses.class.getClassLoader());
        }
    }

    List<String> names() {
        return names;
    }

    /**
     * Loads and verifies the classes. Runs no initializer, so nothing of them has an effect.
     *
     * @param cancelled asked before each class
     * @return how many have been loaded, now or before
     */
    int load(BooleanSupplier cancelled) {
        int loaded = 0;
        for (String name : names) {
            if (cancelled.getAsBoolean()) {
                break;
            }
            if (load(name)) {
                loaded++;
            }
        }
        return loaded;
    }

    private boolean load(String name) {
        try {
            Class<?> type = Class.forName(name, false, loader);
            // HotSpot verifies a class when it is asked for its constructors.
            LOG.trace(
                    "Loaded {} with {} constructors", name, type.getDeclaredConstructors().length);
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            LOG.trace("This Flink has no {}", name, e);
            return false;
        }
    }
}
