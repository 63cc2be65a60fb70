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

import io.dstl.e2e.flights.input.FlightCursor.RowPosition;
import io.dstl.e2e.flights.source.LaneEnumerator.LanePool;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LaneEnumeratorTest {
    private static final Lane HALF_READ = new Lane(5, new RowPosition(0, 900));

    @Test
    void dealsEveryLaneToExactlyOneReaderAndThenSaysSo() throws Exception {
        RecordingContext context = new RecordingContext(3);
        LaneEnumerator enumerator = new LaneEnumerator(context, LanePool.full());

        for (int reader = 0; reader < 3; reader++) {
            enumerator.addReader(reader);
        }

        assertThat(context.dealt().stream().map(Lane::number).sorted().collect(Collectors.toList()))
                .hasSize(Lane.COUNT)
                .doesNotHaveDuplicates();
        assertThat(context.calls())
                .containsExactly("assign 0", "end 0", "assign 1", "end 1", "assign 2", "end 2");
        assertThat(enumerator.snapshotState(1).lanes()).isEmpty();
    }

    @Test
    void aReaderThatBroughtItsLanesGetsOnlyTheWord() {
        RecordingContext context = new RecordingContext(2);

        new LaneEnumerator(context, new LanePool(List.of())).addReader(1);

        assertThat(context.calls()).containsExactly("end 1");
    }

    @Test
    void lanesThatComeBackGoOutAgainWhereTheyWere() {
        RecordingContext context = new RecordingContext(2);
        LaneEnumerator enumerator = new LaneEnumerator(context, new LanePool(List.of()));

        enumerator.addSplitsBack(List.of(HALF_READ), 1);
        assertThat(enumerator.snapshotState(1).lanes()).containsExactly(HALF_READ);
        enumerator.addReader(1);

        assertThat(context.dealt()).containsExactly(HALF_READ);
    }

    @Test
    void lanesNotYetDealtAreDealtAtTheNewParallelism() {
        RecordingContext context = new RecordingContext(1);
        LanePool pool = LanePool.full();
        pool.takeFor(0, 2);

        new LaneEnumerator(context, pool).addReader(0);

        assertThat(context.dealt()).hasSize(Lane.COUNT / 2);
    }

    @Test
    void aLaneCannotComeBackTwice() {
        LaneEnumerator enumerator =
                new LaneEnumerator(new RecordingContext(1), new LanePool(List.of(HALF_READ)));

        assertThatThrownBy(() -> enumerator.addSplitsBack(List.of(HALF_READ), 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lane-5");
    }
}
