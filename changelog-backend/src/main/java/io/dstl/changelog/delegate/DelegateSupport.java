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
import java.util.function.UnaryOperator;
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
     * The raw form of a queue. A queue caches what it has read, so only one that is created
     * afterwards sees what is written as bytes.
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
    Spill newSpill(Path parent, Cancellation cancellation);

    /**
     * The memtables of a delegate whose snapshots flush them. One that is not incremental reads
     * them as they are.
     */
    Optional<Memtables> memtables(StateBackend backend, AbstractKeyedStateBackend<?> delegate);

    /**
     * Writes what a delegate has in memory to its files, ahead of a snapshot. A snapshot does so as
     * well, on the task thread: what is left for it then is what has been written meanwhile.
     *
     * <p>Threading: the task thread, but for what {@link #flush} returns, which any thread may run.
     */
    interface Memtables extends AutoCloseable {
        /**
         * Returns an action that flushes the given states. It takes as long as the disk needs, and
         * first waits for as long as a flush would stall the task's writes.
         *
         * @param states names of states and queues; those that are kept elsewhere are left out
         */
        Runnable flush(Collection<String> states);

        /** Waits for the end of a flush that runs, and lets none begin any more. */
        @Override
        void close();
    }

    /**
     * Keeps what a delegate is to get that is not there yet, on disk and in the delegate's own
     * format: when it is there, it takes the files over as they are. What is to be deleted below a
     * prefix is kept beside them, as that depends on what the delegate has then.
     *
     * <p>Owns its directory, which is there from the first writer to the end. A process that dies
     * leaves it, as it leaves the directories of its databases. One thread at a time.
     */
    interface Spill extends AutoCloseable {
        /**
         * Takes keys in the delegate's order, of one state after the other, between two flushes.
         *
         * @throws IOException if there can be no files, or no such delegate
         */
        RawState.Writer newWriter() throws IOException;

        /** How many were begun so far. */
        int files();

        /**
         * Gives all that was flushed to a delegate, in the order in which it was. What it has got
         * of that after a failure can't be told.
         *
         * @param states from those that were written to what they are in it
         */
        void moveTo(UnaryOperator<RawState> states) throws IOException;

        /** Deletes what no delegate has taken. */
        @Override
        void close();
    }
}
