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

import static io.dstl.registry.SegmentLedger.SEGMENT_BYTES;
import static io.dstl.registry.SegmentLedger.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.Test;

/** What the registry refuses, and how it says so. */
class SegmentRegistryRefusalTest extends SegmentRegistryFixture {

    @Test
    void refusesASegmentThatTheJobManagerMayHaveDeleted() {
        registry.register(a, 2);
        pin(ALICE, 1, a);
        registry.confirm(new CheckpointPin(ALICE, 1));
        pin(ALICE, 2);
        registry.confirm(new CheckpointPin(ALICE, 2));

        assertThatThrownBy(() -> pin(BOB, 3, b, a)).hasMessageContaining("/bucket/b");
        assertThatThrownBy(() -> pin(BOB, 3, a))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("/bucket/a")
                .hasMessageContaining("checkpoint 2 completed without it after checkpoint 1");
    }

    @Test
    void acceptsASegmentThatEveryCompletedCheckpointListed() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        registry.confirm(new CheckpointPin(ALICE, 1));
        pin(ALICE, 2, a);
        pin(ALICE, 3, a);
        registry.confirm(new CheckpointPin(ALICE, 2));
        registry.confirm(new CheckpointPin(ALICE, 3));
        pin(ALICE, 4, a);
        registry.release(a);
        abort(ALICE, 4);
        registry.subsumed(ALICE, 4);

        assertThat(deleted()).isEmpty();
        assertThat(registry.liveSegments()).isZero();
    }

    @Test
    void namesTheSegmentThatIsUnknown() {
        registry.register(a, 1);
        registry.release(a);

        for (StreamStateHandle unknown : Arrays.asList(a, b)) {
            String name = unknown.getStreamStateHandleID().getKeyString();
            assertThatThrownBy(() -> registry.release(unknown))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(name);
            assertThatThrownBy(() -> pin(ALICE, 1, unknown))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(name);
        }
    }

    @Test
    void namesTheSegmentReleasedTooOften() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        registry.release(a);

        assertThatThrownBy(() -> registry.release(a))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("/bucket/a")
                .hasMessageContaining("more often");
        abort(ALICE, 1);
        registry.subsumed(ALICE, 1);
        assertThat(deleted()).containsExactly(a);
    }

    @Test
    void refusesASecondRegistrationAndOneWithoutChangeSets() {
        registry.register(a, 1);
        assertThatThrownBy(() -> registry.register(segment("a"), 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("/bucket/a");
        assertThatThrownBy(() -> registry.register(b, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/bucket/b");
        assertThat(registry.liveBytes()).isEqualTo(SEGMENT_BYTES);
    }

    @Test
    void aFailedPinPinsNothing() {
        registry.register(a, 1);
        assertThatThrownBy(() -> pin(ALICE, 1, a, b)).hasMessageContaining("/bucket/b");

        registry.release(a);
        assertThat(deleted()).containsExactly(a);
    }

    @Test
    void namesTheWriterThatIsNotOpenOrOpenTwice() {
        registry.register(a, 1);
        registry.closeWriter(ALICE);
        List<Runnable> calls =
                Arrays.asList(
                        () -> pin(ALICE, 1, a),
                        () -> registry.closeWriter(ALICE),
                        () -> registry.restored(ALICE, 1),
                        () -> {
                            registry.openWriter(ALICE);
                            registry.openWriter(ALICE);
                        });
        for (Runnable call : calls) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("map (1/2)");
        }
    }

    @Test
    void refusesEveryCallAfterClose() {
        registry.register(a, 1);
        registry.close();
        List<Runnable> calls =
                Arrays.asList(
                        () -> registry.openWriter(new WriterId("late")),
                        () -> registry.closeWriter(ALICE),
                        () -> registry.register(b, 1),
                        () -> registry.release(a),
                        () -> pin(ALICE, 1, a),
                        () -> registry.confirm(new CheckpointPin(ALICE, 1)),
                        () -> registry.abort(new CheckpointPin(ALICE, 1)),
                        () -> registry.subsumed(ALICE, 1),
                        () -> registry.restored(ALICE, 1));
        for (Runnable call : calls) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
        assertThat(deleted()).containsExactly(a);
    }
}
