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

import io.dstl.testkit.ManualExecutor;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.BeforeEach;

/** A registry with two open writers, whose deletions run when a test looks at them. */
abstract class SegmentRegistryFixture {

    static final WriterId ALICE = new WriterId("map (1/2)");
    static final WriterId BOB = new WriterId("map (2/2)");

    final SegmentLedger ledger = new SegmentLedger();
    final ManualExecutor executor = new ManualExecutor();
    final SegmentRegistry registry =
            new SegmentRegistry(
                    new DeletionQueue(segment -> {}, executor, DeletionSchedule.none(), ledger),
                    ledger);

    final StreamStateHandle a = segment("a");
    final StreamStateHandle b = segment("b");

    @BeforeEach
    final void openWriters() {
        registry.openWriter(ALICE);
        registry.openWriter(BOB);
    }

    final void pin(WriterId writer, long checkpointId, StreamStateHandle... segments) {
        registry.pin(new CheckpointPin(writer, checkpointId), Arrays.asList(segments));
    }

    final void abort(WriterId writer, long checkpointId) {
        registry.abort(new CheckpointPin(writer, checkpointId));
    }

    final List<StreamStateHandle> deleted() {
        executor.runAll();
        return ledger.deleted;
    }
}
