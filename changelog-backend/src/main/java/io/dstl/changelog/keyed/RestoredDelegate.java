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

import io.dstl.changelog.replay.BackgroundReplay;
import io.dstl.changelog.replay.ReplayLeftovers;
import io.dstl.materializer.Materialization.MaterializationId;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/** A delegate restored from a checkpoint, and the parts of it that are still referred to. */
public final class RestoredDelegate<K> {
    private final AbstractKeyedStateBackend<K> delegate;
    private final ReplayLeftovers<K> leftovers;
    private final MaterializationId lastId;
    private final List<ChangelogStateBackendHandle> handles;
    private final LongSupplier replayedOneByOne;
    private final Optional<BackgroundReplay> background;

    RestoredDelegate(
            AbstractKeyedStateBackend<K> delegate,
            ReplayLeftovers<K> leftovers,
            MaterializationId lastId,
            List<ChangelogStateBackendHandle> handles,
            LongSupplier replayedOneByOne,
            Optional<BackgroundReplay> background) {
        this.delegate = requireNonNull(delegate);
        this.leftovers = requireNonNull(leftovers);
        this.lastId = requireNonNull(lastId);
        this.handles = List.copyOf(handles);
        this.replayedOneByOne = requireNonNull(replayedOneByOne);
        this.background = requireNonNull(background);
    }

    public AbstractKeyedStateBackend<K> delegate() {
        return delegate;
    }

    /** What the replay leaves to the backend beside the delegate's content. */
    public ReplayLeftovers<K> leftovers() {
        return leftovers;
    }

    /** The highest id that the delegate may have seen for one of its own snapshots. */
    MaterializationId lastId() {
        return lastId;
    }

    /** The number of changes that were replayed through the states instead of in bulk. */
    LongSupplier replayedOneByOne() {
        return replayedOneByOne;
    }

    /** The rest of the replay. The caller closes it before it disposes of the delegate. */
    Optional<BackgroundReplay> background() {
        return background;
    }

    /** The logs as they were read: from the local disk if they are there. */
    List<ChangelogStateHandle> logs() {
        return MaterializedBase.Handles.read(handles).logs();
    }

    /** The base of the job's checkpoints until our first materialization. */
    MaterializedBase baseFor(SequenceNumber logStart, JobID job) {
        return MaterializedBase.restored(
                lastId, MaterializedBase.Handles.remote(handles), backup(), logStart, job);
    }

    /**
     * Empty after scaling in: Flink keeps local state only while checkpoints name one
     * materialization, but then each handle has its own.
     */
    private Optional<MaterializedBase.Handles> backup() {
        return handles.size() == 1 && MaterializedBase.Handles.isLocal(handles.get(0))
                ? Optional.of(MaterializedBase.Handles.read(handles))
                : Optional.empty();
    }
}
