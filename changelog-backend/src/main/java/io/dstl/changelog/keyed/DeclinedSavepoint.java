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

import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotExecutionType;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/**
 * A canonical savepoint that must not be taken yet. It fails as soon as it is written, off the task
 * thread, so Flink declines it. An error on the task thread would fail the task. Flink fails the
 * job all the same where it was to stop with this savepoint.
 *
 * <p>As thread-safe as the resources it is made of, which it owns.
 */
final class DeclinedSavepoint<K> implements FullSnapshotResources<K> {
    private final FullSnapshotResources<K> taken;
    private final Supplier<? extends RuntimeException> reason;

    private DeclinedSavepoint(
            FullSnapshotResources<K> taken, Supplier<? extends RuntimeException> reason) {
        this.taken = taken;
        this.reason = reason;
    }

    /**
     * @param reason made when the savepoint is written; with a {@code CheckpointException} among
     *     its causes, as Flink would else count it as a failure of the job
     */
    static <K> SavepointResources<K> of(
            SavepointResources<K> taken, Supplier<? extends RuntimeException> reason) {
        return new SavepointResources<>(
                new DeclinedSavepoint<>(taken.getSnapshotResources(), reason),
                SnapshotExecutionType.ASYNCHRONOUS);
    }

    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
        return taken.getMetaInfoSnapshots();
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() {
        throw reason.get();
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
        return taken.getKeyGroupRange();
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return taken.getKeySerializer();
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
        return taken.getStreamCompressionDecorator();
    }

    @Override
    public void release() {
        taken.release();
    }
}
