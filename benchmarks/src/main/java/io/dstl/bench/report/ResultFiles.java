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
package io.dstl.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The files of one benchmark's results: a table, JSON and a page with plots, of one name. */
public final class ResultFiles {
    private final Path directory;
    private final String name;

    public ResultFiles(Path directory, String name) {
        this.directory = directory;
        this.name = name;
    }

    /** Where the table is. */
    public Path table() {
        return file(".md");
    }

    /** For the plots. */
    public Path page() {
        return file(".html");
    }

    public void write(String markdown, Map<String, Object> json) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(table(), markdown, StandardCharsets.UTF_8);
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file(".json").toFile(), json);
    }

    /** Writes the page with the plots. */
    public void writePage(String html) throws IOException {
        Files.writeString(page(), html, StandardCharsets.UTF_8);
    }

    /** What a benchmark has found so far. */
    public interface Report {

        /** For a page of the documentation. */
        String markdown();

        void write(ResultFiles files) throws IOException;
    }

    private Path file(String ending) {
        return directory.resolve(name + ending);
    }
}
