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
package io.dstl.e2e.flights;

import io.dstl.e2e.flights.input.FlightCursor.FlightInput;
import io.dstl.e2e.flights.input.FlightFile;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A flights file for a test: rows written by hand, or the first rows of the real one. */
public final class FlightsCsv {
    public static final String HEADER =
            "time_hour,sched_dep_time,dep_time,dep_delay,arr_delay,carrier,flight,tailnum,origin,"
                    + "dest,air_time,distance";

    /** Where the real file is, seen from the module. */
    public static final Path REAL = Path.of("data", "flights-nyc-2013.csv.gz");

    private final List<String> lines = new ArrayList<>();

    private FlightsCsv(List<String> lines) {
        this.lines.addAll(lines);
    }

    public static FlightsCsv of(String... rows) {
        FlightsCsv csv = new FlightsCsv(List.of(HEADER));
        csv.lines.addAll(Arrays.asList(rows));
        return csv;
    }

    /** The first {@code rows} rows of the real file. */
    public static FlightsCsv real(int rows) {
        try (BufferedReader all =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(Files.newInputStream(REAL)),
                                StandardCharsets.UTF_8))) {
            return new FlightsCsv(all.lines().limit(rows + 1L).collect(Collectors.toList()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path writeTo(Path file) throws IOException {
        return Files.write(file, gzip());
    }

    public FlightInput input() {
        byte[] bytes = gzip();
        return () -> FlightFile.open("test.csv.gz", new ByteArrayInputStream(bytes));
    }

    private byte[] gzip() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write((String.join("\n", lines) + '\n').getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
