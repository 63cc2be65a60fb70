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
import io.dstl.e2e.flights.source.Lane.LaneSerializer;
import io.dstl.e2e.flights.source.LaneEnumerator.LanePool;
import io.dstl.e2e.flights.source.LaneEnumerator.LanePoolSerializer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaneSerializerTest {
    private static final Lane LANE = new Lane(77, new RowPosition(3, 5_000_000_000L));

    private final LaneSerializer lanes = new LaneSerializer();
    private final LanePoolSerializer pools = new LanePoolSerializer();

    @Test
    void aLaneComesBackAsItWas() throws Exception {
        assertThat(lanes.deserialize(lanes.getVersion(), lanes.serialize(LANE))).isEqualTo(LANE);
    }

    @Test
    void aPoolComesBackAsItWas() throws Exception {
        LanePool pool = new LanePool(List.of(LANE, new Lane(0, RowPosition.START)));

        LanePool restored = pools.deserialize(pools.getVersion(), pools.serialize(pool));

        assertThat(restored.lanes()).isEqualTo(pool.lanes()).hasSize(2);
    }

    @Test
    void anUnknownVersionIsAnError() throws Exception {
        byte[] bytes = lanes.serialize(LANE);

        assertThatThrownBy(() -> lanes.deserialize(99, bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("lane format 99 is unknown");
    }
}
