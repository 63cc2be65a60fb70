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
package io.dstl.registry;

import static io.dstl.registry.SegmentLedger.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.registry.TrackedSegment.SegmentState;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class SegmentStateTest {

    @Test
    void goesTheDrawnWaysOnly() {
        assertThat(next(SegmentState.OWNED))
                .containsExactlyInAnyOrder(SegmentState.PINNED, SegmentState.DELETED);
        assertThat(next(SegmentState.PINNED))
                .containsExactlyInAnyOrder(
                        SegmentState.HANDED_OVER, SegmentState.DELETED, SegmentState.FORGOTTEN);
        assertThat(next(SegmentState.HANDED_OVER)).containsExactly(SegmentState.FORGOTTEN);
        assertThat(next(SegmentState.DELETED)).isEmpty();
        assertThat(next(SegmentState.FORGOTTEN)).isEmpty();
    }

    @Test
    void namesTheSegmentAndTheReasonOfAWayThatIsNotDrawn() {
        TrackedSegment segment = new TrackedSegment(segment("a"), 1);
        segment.become(SegmentState.PINNED, "in a handle");
        segment.become(SegmentState.HANDED_OVER, "confirmed");

        assertThatThrownBy(() -> segment.become(SegmentState.DELETED, "truncated"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("/bucket/a")
                .hasMessageContaining("HANDED_OVER")
                .hasMessageContaining("DELETED")
                .hasMessageContaining("truncated");
    }

    private static EnumSet<SegmentState> next(SegmentState state) {
        EnumSet<SegmentState> next = EnumSet.allOf(SegmentState.class);
        next.removeIf(candidate -> !state.mayBecome(candidate));
        return next;
    }
}
