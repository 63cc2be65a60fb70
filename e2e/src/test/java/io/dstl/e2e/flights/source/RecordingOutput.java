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
package io.dstl.e2e.flights.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.flights.input.Flight;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/** Keeps what a reader emits and checks that its event time never decreases. */
final class RecordingOutput implements ReaderOutput<Flight> {
    private final List<String> flights = new ArrayList<>();
    private long lastTimestamp = Long.MIN_VALUE;

    /** Designator, aircraft and time of each flight, which together are unique. */
    List<String> flights() {
        return flights;
    }

    @Override
    public void collect(Flight flight, long timestamp) {
        assertThat(timestamp).isEqualTo(flight.scheduled).isGreaterThanOrEqualTo(lastTimestamp);
        lastTimestamp = timestamp;
        flights.add(flight.designator() + ' ' + flight.aircraft + ' ' + flight.scheduled);
    }

    @Override
    public void collect(Flight flight) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void emitWatermark(Watermark watermark) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void markIdle() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void markActive() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SourceOutput<Flight> createOutputForSplit(String splitId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void releaseOutputForSplit(String splitId) {
        throw new UnsupportedOperationException();
    }
}
