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
import io.dstl.changelog.state.DelegateWriters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * Reaches into the delegate of this Flink, RocksDB: one implementation for each {@link
 * FlinkVersion}. For what it does not know (the heap, another backend, a subclass of Flink's) it
 * returns empty or false; Flink's own interfaces serve that.
 *
 * <p>Threading: any thread, except for work on a delegate, which belongs to its task.
 */
public interface DelegateSupport {
    /**
     * The support of this process.
     *
     * @throws IllegalStateException if there is none, or more than one: the jar is incomplete, or
     *     Flink's RocksDB backend is missing
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

    /** Whether states of this backend can be written as raw bytes, also before it exists. */
    boolean isRaw(StateBackend backend);

    /** Whether the queues can be written so. Only for a backend that {@link #isRaw}. */
    boolean hasRawQueues(StateBackend backend);

    /** Empty for a state of any other delegate. Valid until the state is registered anew. */
    Optional<RawState> rawState(InternalKvState<?, ?, ?> state);

    /**
     * The raw form of a queue. A queue caches what it has read, so only one that is created later
     * sees the written bytes.
     *
     * @param elementSerializer that writes the elements
     * @return empty for a queue on the heap, or of any other backend, and for one that the delegate
     *     does not have yet
     */
    Optional<RawState> rawQueue(
            AbstractKeyedStateBackend<?> delegate,
            String name,
            TypeSerializer<?> elementSerializer);

    /**
     * Whether RocksDB has elements of a queue that this delegate keeps on the heap: restored from a
     * checkpoint with the queue in RocksDB. Nothing reads them.
     */
    boolean hasUnreadElements(AbstractKeyedStateBackend<?> delegate, String queueOnHeap);

    /** The failure of RocksDB itself that led to this one, such as of its disk. */
    Optional<Throwable> faultIn(Throwable failure);

    /**
     * A directory on the disk, or on one of the disks, of a backend's databases. Only for a backend
     * that {@link #isRaw}.
     */
    Path disk(StateBackend backend, Environment env);

    /**
     * Tells how many bytes the next database of a backend has on the local disk so far, with what
     * it is being restored from; 0 if it can't be found. Looks at each of its files. Only for a
     * backend that {@link #isRaw}.
     *
     * @param operator the identifier of the operator that the database is for
     */
    LongSupplier bytesOfNext(StateBackend backend, Environment env, String operator);

    /**
     * @param parent of its directory: on the database's disk, as else each file is copied there
     * @param cancellation ends its work on a delegate soon
     */
    Spill newSpill(Path parent, Cancellation cancellation);

    /**
     * The memtables of a delegate whose snapshots flush them: RocksDB's do, incremental or not, as
     * they are made of its files. Only a canonical savepoint reads the memtables.
     */
    Optional<Memtables> memtables(AbstractKeyedStateBackend<?> delegate);

    /**
     * Writes a delegate's memtables to its files, ahead of a snapshot. The snapshot does so as
     * well, on the task thread, but then only has to write what was added meanwhile.
     *
     * <p>Threading: the task thread, but any thread may use the results of {@link #flush} and
     * {@link #compacting}.
     */
    interface Memtables extends AutoCloseable {
        /**
         * Returns an action that flushes the given states. It takes as long as the disk needs, and
         * first waits for as long as a flush would stall the task's writes.
         *
         * @param states names of states and queues; those that are kept elsewhere are ignored
         */
        Runnable flush(Collection<String> states);

        /**
         * How many entries the next flush of these states writes, those included that replace
         * others or delete.
         */
        long entries(Collection<String> states);

        /**
         * Whether a flush of these states, or a snapshot, would now wait for compactions; one with
         * nothing to write does, too.
         */
        boolean wouldStall(Collection<String> states);

        /**
         * Returns whether a compaction is due, or runs, that may make a snapshot of the given
         * states smaller by a tenth or more: of files whose keys overlap; RocksDB does not tell
         * whether a key was written again. Never so once the backend ends.
         */
        BooleanSupplier compacting(Collection<String> states);

        /** Waits for the end of a running flush, and lets no other one begin. */
        @Override
        void close();
    }

    /**
     * Keeps changes for a delegate that does not exist yet, on disk and in the delegate's own
     * format. Later the delegate takes the files over as they are. Deletions below a prefix are
     * kept beside the files, as they depend on the delegate's content at that time.
     *
     * <p>Owns its directory, from the first writer to the end. A process that dies leaves it
     * behind, as it leaves the directories of its databases. One thread at a time.
     */
    interface Spill extends AutoCloseable {
        /**
         * Takes keys in the delegate's order, of one state after the other, between two flushes.
         *
         * @throws IOException if there can be no files, or no such delegate
         */
        RawState.RawWriter newWriter() throws IOException;

        /** The number of files that were begun so far. */
        int files();

        /** The most of them that one state has. */
        int mostFilesOfAState();

        /**
         * Gives all that was flushed to a delegate, in the order of the flushes. After a failure it
         * is unknown what the delegate has taken.
         *
         * @param states maps each state that was written to that of the delegate
         */
        void moveTo(UnaryOperator<RawState> states) throws IOException;

        /** Deletes what no delegate has taken. */
        @Override
        void close();
    }
}
