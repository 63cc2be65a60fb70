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
package io.dstl.changelog.delegate;

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * Reaches into the delegate that this Flink has, RocksDB: one implementation for each {@link
 * FlinkVersion}. What it does not know (the heap, another's backend, a subclass of Flink's) is
 * empty or false here, and is served through Flink's own interfaces.
 *
 * <p>Threading: any thread, but for what is done to a delegate, which is its task's.
 */
public interface DelegateSupport {

    /**
     * The one of this process.
     *
     * @throws IllegalStateException if there is none, or more than one: the jar is not whole, or
     *     Flink's RocksDB backend is not there
     */
    static DelegateSupport get() {
        return FoundVersion.support();
    }

    DelegateWriters writers();

    /**
     * Whether the option {@code state.backend.type} means this delegate.
     *
     * @param backend the option's value, a short name or that of a factory
     */
    boolean isNamed(String backend);

    /** Whether states of this backend can be written as raw bytes, before it is there as well. */
    boolean isRaw(StateBackend backend);

    /** Whether its queues can. Only of one that {@link #isRaw}. */
    boolean hasRawQueues(StateBackend backend);

    /** Empty for a state of any other delegate. Good until the state is registered anew. */
    Optional<RawState> rawState(InternalKvState<?, ?, ?> state);

    /**
     * Of a queue, which caches what it has read: what is written as bytes it does not see, but one
     * that is created afterwards does.
     *
     * @param elementSerializer with which its elements are written
     * @return empty for a queue on the heap, or of any other backend, and for one that the delegate
     *     does not have yet
     */
    Optional<RawState> rawQueue(
            AbstractKeyedStateBackend<?> delegate,
            String name,
            TypeSerializer<?> elementSerializer);

    /**
     * A directory on the disk, or one of the disks, where the databases of a backend are. Only of
     * one that {@link #isRaw}.
     */
    Path disk(StateBackend backend, Environment env);

    /**
     * @param parent of its directory: of the database's disk, as each file is copied to there else
     * @param cancellation ends what it does with a delegate soon
     */
    RawSpill newSpill(Path parent, Cancellation cancellation);

    /**
     * Of a delegate whose snapshots flush them: one that is not incremental reads them as they are.
     */
    Optional<Memtables> memtables(StateBackend backend, AbstractKeyedStateBackend<?> delegate);
}
