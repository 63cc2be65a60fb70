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

import io.dstl.changelog.delegate.DelegateSupport.Memtables;
import io.dstl.materializer.MaterializationTarget.Flush;
import io.dstl.materializer.MaterializationTarget.WorkAhead;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the snapshot of a materialization short on the task thread, and small: what is in memory is
 * flushed on another thread before, which then waits for the compaction that follows; and a
 * snapshot that would wait for compactions is put off. Task thread only.
 */
final class SnapshotPreparation {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotPreparation.class);

    /**
     * Entries: fewer, if they are no larger than some 200 B, keep the task thread for 20 ms at
     * most, and each flush makes one more file. A Flink SQL operator that keeps 10,000 rows in
     * memory writes them all at each checkpoint.
     */
    private static final long WORTH_A_FLUSH = 2_000;

    /** Not for ever: where compactions never keep up, the log would only grow. */
    private static final int MOST_PUT_OFF = 10;

    static final Duration PAUSE = Duration.ofMillis(100);

    /** 2 s in one turn, in which RocksDB rewrites some hundred MB; other tasks wait, too. */
    private static final int MOST_PAUSES = 20;

    private final Optional<Memtables> memtables;
    private final String task;
    private final Pause pause;
    private int timesPutOff;

    /** For the flushes of one turn; a flush that was given up still has those of its own. */
    private AtomicInteger pausesLeft = new AtomicInteger();

    /** The last flush has waited; written by its thread. */
    private volatile boolean waited;

    /**
     * @param memtables which the delegate's snapshots flush, if they do
     * @param task for the log
     * @param pause of the thread that waits for a compaction, between two looks
     */
    SnapshotPreparation(Optional<Memtables> memtables, String task, Pause pause) {
        this.memtables = requireNonNull(memtables);
        this.task = requireNonNull(task);
        this.pause = requireNonNull(pause);
    }

    /**
     * Work for another thread.
     *
     * @param states by name
     * @return empty if it is not worth it
     */
    Optional<WorkAhead> flushAhead(Collection<String> states, Flush which) {
        if (which == Flush.FIRST) {
            pausesLeft = new AtomicInteger(MOST_PAUSES);
        }
        return memtables
                .filter(each -> which == Flush.FIRST || each.entries(states) >= worthAFlush())
                .map(each -> flush(each, states, which));
    }

    /** The task may have written much during the wait: few entries, but large ones. */
    private long worthAFlush() {
        return waited ? 1 : WORTH_A_FLUSH;
    }

    /**
     * RocksDB has the rows of the new files twice until they are compacted, and where the state is
     * not much larger than the log that is a large part of a snapshot. After the last flush nothing
     * is waited for: the snapshot would flush what comes meanwhile, on the task thread.
     */
    private WorkAhead flush(Memtables of, Collection<String> states, Flush which) {
        Runnable flush = of.flush(states);
        waited = false;
        if (which == Flush.LAST) {
            return () -> {
                flush.run();
                return Duration.ZERO;
            };
        }
        BooleanSupplier compacting = of.compacting(states);
        AtomicInteger left = pausesLeft;
        return () -> {
            flush.run();
            return awaitEnd(compacting, left);
        };
    }

    private Duration awaitEnd(BooleanSupplier compacting, AtomicInteger left) {
        int before = left.get();
        try {
            while (left.get() > 0 && compacting.getAsBoolean()) {
                left.decrementAndGet();
                waited = true;
                pause.make();
            }
            if (left.get() == 0) {
                LOG.debug("{} is materialized without waiting for compactions any longer", task);
            }
        } catch (InterruptedException e) {
            LOG.debug("{} has given up what it did ahead of a snapshot", task, e);
            Thread.currentThread().interrupt();
        }
        return PAUSE.multipliedBy(before - left.get());
    }

    /** Waits for {@link #PAUSE}. */
    @FunctionalInterface
    interface Pause {
        void make() throws InterruptedException;
    }

    /**
     * Puts a snapshot off that would wait for compactions: the flush ahead may have written the
     * very file with which RocksDB slows writes down.
     *
     * @return whether it is put off: ten times in a row at most
     */
    boolean putOff(Collection<String> states) {
        boolean stalls = memtables.filter(each -> each.wouldStall(states)).isPresent();
        if (!stalls || timesPutOff == MOST_PUT_OFF) {
            timesPutOff = 0;
            return false;
        }
        timesPutOff++;
        if (timesPutOff == 1) {
            LOG.warn(
                    "A snapshot of {} would keep its thread until RocksDB's compactions have caught"
                            + " up. So the materialization is put off, for {} checkpoints at most."
                            + " See that they keep up: state.backend.rocksdb.thread.num",
                    task,
                    MOST_PUT_OFF);
        }
        return true;
    }
}
