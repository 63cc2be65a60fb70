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
package io.dstl.e2e.flights.result;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of a result that have been committed; a file in progress has a dot before its name. */
public final class ResultFiles {
    private final List<Path> files;

    private ResultFiles(List<Path> files) {
        this.files = files;
    }

    /** The committed files in {@code directory} as of now; none if there is no such directory. */
    public static ResultFiles in(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return new ResultFiles(List.of());
        }
        try (Stream<Path> walk = Files.walk(directory)) {
            return new ResultFiles(
                    walk.filter(Files::isRegularFile)
                            .filter(file -> !file.getFileName().toString().startsWith("."))
                            .sorted()
                            .collect(Collectors.toList()));
        }
    }

    /** Hands every line of every file to {@code consumer}. */
    public void forEachLine(Consumer<String> consumer) throws IOException {
        for (Path file : files) {
            try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                lines.lines().forEach(consumer);
            }
        }
    }
}
