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
package io.dstl.parity.leg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is on the class path of a process beside Flink. */
public enum Flavour {
    /** Flink without a changelog backend. */
    PLAIN,
    /** Flink's own changelog backend and storage. */
    STOCK,
    /** Our jar, as in {@code lib/}: before Flink's own, which are in flink-dist. */
    OURS,
    /** Our backend, and Flink's storage found first. */
    OURS_ON_STOCK_STORAGE,
    /** Flink's backend, and our storage in {@code plugins/}. */
    STOCK_ON_OUR_STORAGE;

    private static final String STORAGE = "flink-dstl-dfs.jar";

    List<String> jars(Flink flink) {
        List<String> jars = new ArrayList<>();
        if (this == OURS_ON_STOCK_STORAGE) {
            jars.add(flink.stock().resolve(STORAGE).toString());
        }
        if (this == OURS || this == OURS_ON_STOCK_STORAGE) {
            jars.add(property("parity.dstl.jar"));
        }
        if (this != PLAIN) {
            jars.addAll(stockJars(flink));
        }
        return jars;
    }

    /** The jar in {@code plugins/dstl-fs/}, if there is one. */
    boolean hasPlugin() {
        return this == STOCK_ON_OUR_STORAGE;
    }

    static Path pluginJar() {
        return Path.of(property("parity.plugin.jar"));
    }

    private static List<String> stockJars(Flink flink) {
        try (Stream<Path> jars = Files.list(flink.stock())) {
            return jars.map(Path::toString).sorted().collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String property(String name) {
        String value = System.getProperty(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set: run this test by 'mvn verify'");
        }
        return value;
    }
}
