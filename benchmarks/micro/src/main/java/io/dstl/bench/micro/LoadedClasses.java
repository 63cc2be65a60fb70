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
package io.dstl.bench.micro;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Properties;

/** Which classes did the work, and of which jars: what tells one variant from another. */
final class LoadedClasses {
    /** Names the file to write them to; unset: none is written. */
    static final String FILE_PROPERTY = "dstl.bench.loaded";

    private final Properties properties = new Properties();

    /**
     * @param storage may be null: there is no log
     */
    LoadedClasses(Object stateBackend, Object keyedBackend, Object storage) {
        put("stateBackend", stateBackend);
        put("keyedBackend", keyedBackend);
        if (storage != null) {
            put("storage", storage);
        }
    }

    private void put(String role, Object object) {
        properties.setProperty(role, object.getClass().getName());
        CodeSource source = object.getClass().getProtectionDomain().getCodeSource();
        properties.setProperty(
                role + "From",
                source == null ? "" : Path.of(source.getLocation().getPath()).getFileName() + "");
    }

    void report() throws IOException {
        String file = System.getProperty(FILE_PROPERTY);
        if (file != null) {
            try (Writer out = Files.newBufferedWriter(Path.of(file), StandardCharsets.UTF_8)) {
                properties.store(out, null);
            }
        }
    }
}
