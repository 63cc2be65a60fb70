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
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The Flink of a process. For each of them a module has its libraries, and this job built with it.
 */
public enum Flink {
    /** Flink 1.20, of this module. */
    FLINK_1("parity.directory"),
    /** The Flink 2 that dstl is built with, of the module below this one. */
    FLINK_2("parity.flink2.directory");

    private final String directory;

    Flink(String directory) {
        this.directory = directory;
    }

    Path classes() {
        return target().resolve("test-classes");
    }

    String classPath() throws IOException {
        return Files.readString(target().resolve("flink.classpath")).trim();
    }

    /** Where the jars of Flink's own changelog backend and storage are. */
    Path stock() {
        return target().resolve("stock");
    }

    private Path target() {
        return Path.of(Flavour.property(directory));
    }
}
