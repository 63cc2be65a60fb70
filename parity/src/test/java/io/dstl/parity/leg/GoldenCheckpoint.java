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

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * A retained checkpoint that is kept with the tests, with all its files and the result of the leg
 * that took it.
 *
 * <p>Flink writes absolute paths into it. So it is taken and restored in directories whose paths
 * have one length, and kept with another path of that length in their place.
 */
public final class GoldenCheckpoint {

    private static final int PATH_LENGTH = 220;
    private static final String PATH = "/" + "golden-".repeat(40).substring(0, PATH_LENGTH - 1);
    private static final String RESULT = "result.json";

    private final String name;

    private GoldenCheckpoint(String name) {
        this.name = name;
    }

    public static GoldenCheckpoint named(String name) {
        return new GoldenCheckpoint(name);
    }

    /** A directory in which a checkpoint can be taken that {@link #keep} takes, or restored. */
    public static Path directory() throws IOException {
        Path parent = Files.createTempDirectory(Route.directories(), "golden-");
        int missing = PATH_LENGTH - parent.toString().length() - 1;
        if (missing < 1) {
            throw new IOException(parent + ": check the project out at a shorter path");
        }
        return Files.createDirectory(parent.resolve("x".repeat(missing)));
    }

    /** Keeps a checkpoint, in the sources of the tests. */
    public void keep(Path directory, LegResult result) throws IOException {
        result.content.clear();
        LegProcess.JSON.writeValue(directory.resolve(RESULT).toFile(), result);
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files =
                    all.filter(Files::isRegularFile)
                            .filter(file -> isKept(directory.relativize(file)))
                            .sorted()
                            .collect(Collectors.toList());
        }
        Path zip = Files.createDirectories(sources()).resolve(name + ".zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (Path file : files) {
                ZipEntry entry = new ZipEntry(directory.relativize(file).toString());
                entry.setTime(0);
                out.putNextEntry(entry);
                out.write(replaced(Files.readAllBytes(file), directory.toString(), PATH));
            }
        }
    }

    private static boolean isKept(Path file) {
        return file.startsWith("checkpoints")
                || file.startsWith("changelog")
                || file.equals(Path.of(RESULT));
    }

    private static Path sources() {
        Path module = Path.of(Flavour.property("parity.directory")).getParent();
        return module.resolve("src/test/resources/golden");
    }

    /** Unpacks the checkpoint and returns the result of the leg that took it. */
    public LegResult unpack(Path directory) throws IOException {
        String resource = "/golden/" + name + ".zip";
        try (ZipInputStream in = new ZipInputStream(getClass().getResourceAsStream(resource))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path file = directory.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.write(file, replaced(in.readAllBytes(), PATH, directory.toString()));
            }
        }
        return LegProcess.JSON.readValue(directory.resolve(RESULT).toFile(), LegResult.class);
    }

    private static byte[] replaced(byte[] content, String path, String other) {
        // One byte a character, so that all other bytes stay as they are.
        return new String(content, ISO_8859_1).replace(path, other).getBytes(ISO_8859_1);
    }
}
