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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.e2e.flights.FlightsCsv;
import io.dstl.e2e.flights.input.FlightCursor.FlightInput;
import io.dstl.e2e.flights.input.FlightCursor.RowPosition;
import io.dstl.e2e.flights.source.LaneEnumerator.LanePool;
import io.dstl.e2e.flights.source.Pace.SteadyPace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlightReaderTest {
    private static final int ROWS = 200;
    private static final int REPETITIONS = 2;
    private static final FlightInput INPUT = FlightsCsv.real(ROWS).input();

    private final ManualTimer timer = new ManualTimer();

    @Test
    void oneReaderEmitsEveryFlightOnceAndThenEnds() throws Exception {
        try (FlightReader reader = reader(0, LanePool.full().lanes())) {
            List<String> flights = rest(reader);

            assertThat(flights).hasSize(ROWS * REPETITIONS).doesNotHaveDuplicates();
            assertThat(reader.pollNext(new RecordingOutput())).isEqualTo(InputStatus.END_OF_INPUT);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 3", "3, 1", "2, 5", "4, 4", "128, 2"})
    void everyFlightIsEmittedOnceAcrossARescale(int before, int after) throws Exception {
        List<String> emitted = new ArrayList<>();
        List<Lane> snapshot = new ArrayList<>();
        LanePool pool = LanePool.full();
        for (int i = 0; i < before; i++) {
            try (FlightReader reader = reader(0, pool.takeFor(i, before))) {
                emitted.addAll(read(reader, 17 * i % 50));
                snapshot.addAll(reader.snapshotState(1));
            }
        }
        LanePool restored = new LanePool(snapshot);
        for (int i = 0; i < after; i++) {
            try (FlightReader reader = reader(0, restored.takeFor(i, after))) {
                emitted.addAll(rest(reader));
            }
        }

        assertThat(emitted).containsExactlyInAnyOrderElementsOf(allFlights());
    }

    @Test
    void waitsUntilAllItsLanesAreKnown() throws Exception {
        try (FlightReader reader = new FlightReader(INPUT, 1, () -> new SteadyPace(timer, 0))) {
            reader.addSplits(LanePool.full().lanes());
            assertThat(reader.pollNext(new RecordingOutput()))
                    .isEqualTo(InputStatus.NOTHING_AVAILABLE);
            assertThat(reader.isAvailable()).isNotDone();
            assertThat(reader.snapshotState(1)).isEqualTo(LanePool.full().lanes());

            reader.notifyNoMoreSplits();
            assertThat(reader.isAvailable()).isDone();
            assertThat(reader.pollNext(new RecordingOutput()))
                    .isEqualTo(InputStatus.MORE_AVAILABLE);
            assertThatThrownBy(() -> reader.addSplits(List.of(new Lane(0, RowPosition.START))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("lane-0");
        }
    }

    @Test
    void aReaderWithoutLanesEndsAtOnce() throws Exception {
        try (FlightReader reader = reader(0, List.of())) {
            assertThat(reader.isAvailable()).isDone();
            assertThat(reader.pollNext(new RecordingOutput())).isEqualTo(InputStatus.END_OF_INPUT);
        }
    }

    @Test
    void staysWithinThePace() throws Exception {
        try (FlightReader reader = reader(10, LanePool.full().lanes())) {
            RecordingOutput output = new RecordingOutput();
            assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
            assertThat(reader.isAvailable()).isNotDone();

            timer.pass(Duration.ofMillis(300));
            assertThat(reader.isAvailable()).isDone();
            while (reader.pollNext(output) == InputStatus.MORE_AVAILABLE) {
                assertThat(output.flights()).hasSizeLessThanOrEqualTo(3);
            }
            assertThat(output.flights()).hasSize(3);
        }
    }

    @Test
    void aReaderThatHasEndedStaysEndedAfterARestore() throws Exception {
        List<Lane> snapshot;
        try (FlightReader reader = reader(0, LanePool.full().lanes())) {
            rest(reader);
            snapshot = reader.snapshotState(1);
        }
        try (FlightReader reader = reader(0, snapshot)) {
            assertThat(rest(reader)).isEmpty();
        }
    }

    @Test
    void aClosedReaderCannotBePolled() throws Exception {
        FlightReader reader = reader(0, LanePool.full().lanes());
        reader.close();

        assertThatThrownBy(() -> reader.pollNext(new RecordingOutput()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    private FlightReader reader(double rate, List<Lane> lanes) {
        FlightReader reader =
                new FlightReader(INPUT, REPETITIONS, () -> new SteadyPace(timer, rate));
        reader.addSplits(lanes);
        reader.notifyNoMoreSplits();
        return reader;
    }

    private List<String> allFlights() throws Exception {
        try (FlightReader reader = reader(0, LanePool.full().lanes())) {
            return rest(reader);
        }
    }

    private static List<String> rest(FlightReader reader) throws Exception {
        return read(reader, Integer.MAX_VALUE);
    }

    private static List<String> read(FlightReader reader, int polls) throws Exception {
        RecordingOutput output = new RecordingOutput();
        for (int i = 0; i < polls; i++) {
            if (reader.pollNext(output) == InputStatus.END_OF_INPUT) {
                break;
            }
        }
        return output.flights().stream().collect(Collectors.toList());
    }
}
