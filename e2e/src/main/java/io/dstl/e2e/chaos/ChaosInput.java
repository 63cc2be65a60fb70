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

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** The flights that a chaos run reads: as many as its faults last for, and some more. Immutable. */
final class ChaosInput {
    private final Path file;
    private final int scale;

    private ChaosInput(Path file, int scale) {
        this.file = file;
        this.scale = scale;
    }

    /**
     * Writes the begin of a flights file to another one, so long that it has that many flights when
     * it is read {@link #scale} times.
     */
    static ChaosInput cut(Path whole, long flights, Path target) throws IOException {
        long rows = rows(whole);
        if (rows == 0) {
            throw new IOException(whole + " has no flights: give another --input");
        }
        int scale = (int) ((flights + rows - 1) / rows);
        long each = (flights + scale - 1) / scale;
        try (BufferedReader in = open(whole);
                BufferedWriter out =
                        new BufferedWriter(
                                new OutputStreamWriter(
                                        new GZIPOutputStream(Files.newOutputStream(target)),
                                        StandardCharsets.UTF_8))) {
            // The first line is the header.
            for (long line = 0; line <= each; line++) {
                out.write(in.readLine());
                out.write('\n');
            }
        }
        return new ChaosInput(target, scale);
    }

    Path file() {
        return file;
    }

    /** How often it is to be read. */
    int scale() {
        return scale;
    }

    private static long rows(Path file) throws IOException {
        try (BufferedReader in = open(file)) {
            return Math.max(0, in.lines().count() - 1);
        }
    }

    private static BufferedReader open(Path file) throws IOException {
        return new BufferedReader(
                new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8));
    }
}
