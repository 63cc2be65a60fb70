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
package io.dstl.e2e.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The disk that the TaskManagers keep their state on: a file system of its own and of bounded size,
 * so that it can be filled up. For one thread.
 *
 * <p>Where none can be mounted, for want of rights, it is a plain directory, and is never full.
 */
final class LocalDisk implements AutoCloseable {
    private static final int MEGABYTES = 512;
    private static final int BLOCK = 1 << 20;

    private final Path directory;
    private final Optional<String> obstacle;

    private LocalDisk(Path directory, Optional<String> obstacle) {
        this.directory = directory;
        this.obstacle = obstacle;
    }

    /** Mounts one in that directory, if it may. */
    static LocalDisk in(Path directory) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Optional<String> obstacle =
                failure(
                        "mount",
                        "-t",
                        "tmpfs",
                        "-o",
                        "size=" + MEGABYTES + "m",
                        "dstl-chaos",
                        directory.toString());
        return new LocalDisk(directory, obstacle);
    }

    Path directory() {
        return directory;
    }

    /** Why it can't be filled up; empty where it can. */
    Optional<String> obstacle() {
        return obstacle;
    }

    /** Leaves no byte free until {@link #free}. */
    void fill() throws IOException {
        byte[] block = new byte[BLOCK];
        try (OutputStream ballast = Files.newOutputStream(ballast())) {
            for (int i = 0; i < MEGABYTES; i++) {
                ballast.write(block);
            }
        } catch (IOException e) {
            // Full, as wanted.
        }
    }

    void free() throws IOException {
        Files.deleteIfExists(ballast());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        if (obstacle.isEmpty()) {
            failure("umount", "--lazy", directory.toString());
        }
    }

    private Path ballast() {
        return directory.resolve("ballast");
    }

    private static Optional<String> failure(String... command)
            throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? Optional.empty() : Optional.of(output.trim());
    }
}
