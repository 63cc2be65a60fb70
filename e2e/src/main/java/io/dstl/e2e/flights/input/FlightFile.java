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
package io.dstl.e2e.flights.input;

import io.dstl.e2e.flights.input.FlightRow.Column;
import io.dstl.e2e.flights.input.FlightRow.MalformedFlightException;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * The rows of one open flights file (gzip), in order.
 *
 * <p>Owns the stream it was opened on and closes it. Does not know about repetitions. For one
 * thread.
 */
public final class FlightFile implements Closeable {
    private static final int BUFFER = 64 * 1024;

    private final String name;
    private final BufferedReader lines;
    private long line = 1;

    private FlightFile(String name, BufferedReader lines) {
        this.name = name;
        this.lines = lines;
    }

    /**
     * Opens {@code stream}, which is closed even if this fails.
     *
     * @param name what errors call the file
     */
    public static FlightFile open(String name, InputStream stream) throws IOException {
        try {
            InputStream text = new GZIPInputStream(stream, BUFFER);
            FlightFile file =
                    new FlightFile(
                            name,
                            new BufferedReader(
                                    new InputStreamReader(text, StandardCharsets.UTF_8), BUFFER));
            file.checkHeader();
            return file;
        } catch (Throwable t) {
            stream.close();
            throw t;
        }
    }

    /** The next flight, empty at the end of the file. */
    public Optional<Flight> next() throws IOException {
        String text = lines.readLine();
        if (text == null) {
            return Optional.empty();
        }
        line++;
        return Optional.of(new FlightRow(name, line, text).flight());
    }

    /** Passes over {@code rows} rows without looking at them. */
    public void skip(long rows) throws IOException {
        for (long skipped = 0; skipped < rows; skipped++) {
            if (lines.readLine() == null) {
                throw new EOFException(
                        name
                                + " has only "
                                + skipped
                                + " rows, but the position to resume from is row "
                                + rows
                                + "; give the file that the job was started with");
            }
            line++;
        }
    }

    private void checkHeader() throws IOException {
        String header = lines.readLine();
        if (!Column.HEADER.equals(header)) {
            throw new MalformedFlightException(
                    name, line, "the header is '" + header + "'; give " + Column.HEADER, null);
        }
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
