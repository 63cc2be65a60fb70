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

/** The Flink of a process: its libraries are those of a module. */
public enum Flink {
    FLINK_1_20(""),
    FLINK_2_0("flink-2.0"),
    FLINK_2_1("flink-2.1"),
    FLINK_2_2("flink-2.2"),
    /** The one that dstl, and the job for each Flink 2, is compiled with. */
    FLINK_2_3("flink-2");

    private final String module;

    Flink(String module) {
        this.module = module;
    }

    /** Of the job. */
    Path classes() {
        Flink compiledWith = this == FLINK_1_20 ? this : FLINK_2_3;
        return compiledWith.target().resolve("test-classes");
    }

    String classPath() throws IOException {
        return Files.readString(target().resolve("flink.classpath")).trim();
    }

    /** Where the jars of Flink's own changelog backend and storage are. */
    Path stock() {
        return target().resolve("stock");
    }

    private Path target() {
        Path parity = Path.of(Flavour.property("parity.directory")).getParent();
        return parity.resolve(module).resolve("target");
    }
}
