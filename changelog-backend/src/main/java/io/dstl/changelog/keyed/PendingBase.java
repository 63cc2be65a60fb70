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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.Materialization.MaterializationId;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/**
 * A base whose files are still being written, for a checkpoint that waits for them. Later
 * checkpoints start from it as well: if one of them started from the base before, it would complete
 * without these files, and the JobManager would delete them.
 */
final class PendingBase {

    private final MaterializationId id;
    private final SequenceNumber logStart;
    private final CompletableFuture<MaterializedBase> made = new CompletableFuture<>();

    PendingBase(MaterializationId id, SequenceNumber logStart) {
        this.id = requireNonNull(id);
        this.logStart = requireNonNull(logStart);
    }

    MaterializationId id() {
        return id;
    }

    /** Inclusive. */
    SequenceNumber logStart() {
        return logStart;
    }

    /** Completed by the thread that writes the files; exceptionally if it cannot, or must not. */
    CompletableFuture<MaterializedBase> made() {
        return made;
    }
}
