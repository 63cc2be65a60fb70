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
package io.dstl.tools;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** One of the checkpoints that {@code parity} keeps, of one job on both backends. */
public final class GoldenCheckpoint {
    private static final Path GOLDEN = Path.of("../parity/src/test/resources/golden");

    /** As in the checkpoints: absolute paths of this length. */
    private static final String PATH = "/" + "golden-".repeat(40).substring(0, 219);

    private final List<Path> segments = new ArrayList<>();
    private Path metadata;

    /** Writes the one of that name below a directory. */
    public GoldenCheckpoint(String name, Path root) throws IOException {
        Path parent = Files.createDirectories(root.resolve(name));
        Path directory = parent.resolve("x".repeat(PATH.length() - parent.toString().length() - 1));
        try (ZipInputStream in =
                new ZipInputStream(Files.newInputStream(GOLDEN.resolve(name + ".zip")))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path file = directory.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                // One byte a character, so that all other bytes stay as they are.
                String content = new String(in.readAllBytes(), ISO_8859_1);
                Files.write(file, content.replace(PATH, directory.toString()).getBytes(ISO_8859_1));
                if (file.endsWith("_metadata")) {
                    metadata = file;
                } else if (entry.getName().startsWith("changelog/")) {
                    segments.add(file);
                }
            }
        }
    }

    public Path metadata() {
        return metadata;
    }

    /** In the order of their names. */
    public List<Path> segments() {
        return segments;
    }
}
