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
package org.apache.flink.contrib.streaming.state;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.delegate.DelegateSupport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.FlushOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes the memtables of a RocksDB backend. In Flink's package, to reach the database and the
 * column families; owns neither. The database must not be closed during a flush, so {@link #close}
 * waits for the end of one.
 */
final class RocksDbMemtables implements DelegateSupport.Memtables {
    /** Not by its package, which is Flink's. */
    private static final Logger LOG = LoggerFactory.getLogger("io.dstl.changelog.RocksDbMemtables");

    /** RocksDB does not tell their bytes, only what it has allocated: 8 MB at a time for 64 MB. */
    private static final List<String> ENTRIES =
            List.of("rocksdb.num-entries-active-mem-table", "rocksdb.num-entries-imm-mem-tables");

    /** A tenth. */
    private static final int LEAST_GAIN = 10;

    /** Level, files, MB. */
    private static final Pattern LEVEL_0 = Pattern.compile("(?m)^ *0 +\\d+ +(\\d+) *$");

    private final RocksDBKeyedStateBackend<?> backend;
    private final ResourceGuard openDatabase = new ResourceGuard();

    /** Of a flush that runs, or the last one. */
    private volatile List<ColumnFamilyHandle> flushed = List.of();

    private volatile boolean closing;

    RocksDbMemtables(RocksDBKeyedStateBackend<?> backend) {
        this.backend = requireNonNull(backend);
    }

    @Override
    public Runnable flush(Collection<String> states) {
        List<ColumnFamilyHandle> families = families(states);
        return () -> flushNow(families);
    }

    @Override
    public long entries(Collection<String> states) {
        long entries = 0;
        for (ColumnFamilyHandle family : families(states)) {
            try {
                for (String property : ENTRIES) {
                    entries += backend.db.getLongProperty(family, property);
                }
            } catch (RocksDBException e) {
                LOG.debug(
                        "Could not count what is to be flushed; the snapshot will tell what is wrong",
                        e);
            }
        }
        return entries;
    }

    /** As RocksDB decides it, in {@code DBImpl::WaitUntilFlushWouldNotStallWrites}. */
    @Override
    public boolean wouldStall(Collection<String> states) {
        try {
            boolean slow =
                    backend.db.getLongProperty("rocksdb.is-write-stopped") != 0
                            || backend.db.getLongProperty("rocksdb.actual-delayed-write-rate") != 0;
            for (ColumnFamilyHandle family : families(states)) {
                if (waits(family, slow)) {
                    return true;
                }
            }
        } catch (RocksDBException | NumberFormatException e) {
            LOG.debug("Could not see whether a snapshot would wait for compactions", e);
        }
        return false;
    }

    /**
     * With too few files of level 0 to compact RocksDB never waits. Else it counts one more than
     * there are, though there may be nothing to flush.
     */
    private boolean waits(ColumnFamilyHandle family, boolean slow) throws RocksDBException {
        int files = level0(family);
        try (ColumnFamilyOptions options = family.getDescriptor().getOptions()) {
            return areCompacted(files, options)
                    && (slow || files + 1 >= options.level0SlowdownWritesTrigger());
        }
    }

    private static boolean areCompacted(int level0, ColumnFamilyOptions options) {
        return level0 >= options.level0FileNumCompactionTrigger()
                && !options.disableAutoCompactions();
    }

    private int level0(ColumnFamilyHandle family) throws RocksDBException {
        return Integer.parseInt(backend.db.getProperty(family, "rocksdb.num-files-at-level0"));
    }

    @Override
    public BooleanSupplier compacting(Collection<String> states) {
        List<ColumnFamilyHandle> families = families(states);
        return () -> isWorthWaitingFor(families);
    }

    private boolean isWorthWaitingFor(List<ColumnFamilyHandle> families) {
        long all = 0;
        long freed = 0;
        try (ResourceGuard.Lease ignored = openDatabase.acquireResource()) {
            for (ColumnFamilyHandle family : families) {
                long size = backend.db.getLongProperty(family, "rocksdb.live-sst-files-size");
                all += size;
                if (isLevel0Compacted(family)) {
                    freed +=
                            freed(
                                    size,
                                    backend.db.getLongProperty(
                                            family, "rocksdb.estimate-live-data-size"),
                                    backend.db.getProperty(family, "rocksdb.levelstats"));
                }
            }
        } catch (IOException e) {
            LOG.debug("No compaction is waited for any more: the backend is being closed", e);
            return false;
        } catch (RocksDBException | NumberFormatException e) {
            LOG.debug("Could not see whether a compaction runs; the snapshot is not smaller", e);
            return false;
        }
        return freed > 0 && freed >= all / LEAST_GAIN;
    }

    /**
     * The most that a compaction of level 0 can free.
     *
     * @param size of all files
     * @param withoutOverlap the size of those of the lowest level, where ranges of keys overlap
     * @param levelStats a table for people, with a line for each level: its files, and their MB
     */
    static long freed(long size, long withoutOverlap, String levelStats) {
        Matcher level0 = LEVEL_0.matcher(levelStats);
        long most = level0.find() ? (Long.parseLong(level0.group(1)) + 1) << 20 : 0;
        return Math.min(size - withoutOverlap, most);
    }

    /** With other styles of compaction there may always be as many files on level 0. */
    private boolean isLevel0Compacted(ColumnFamilyHandle family) throws RocksDBException {
        int files = level0(family);
        try (ColumnFamilyOptions options = family.getDescriptor().getOptions()) {
            return areCompacted(files, options)
                    && options.compactionStyle() == CompactionStyle.LEVEL;
        }
    }

    private List<ColumnFamilyHandle> families(Collection<String> states) {
        List<ColumnFamilyHandle> families = new ArrayList<>();
        for (String state : states) {
            ColumnFamilyHandle family = backend.getColumnFamilyHandle(state);
            if (family != null) {
                families.add(family);
            }
        }
        return families;
    }

    private void flushNow(List<ColumnFamilyHandle> families) {
        try (ResourceGuard.Lease ignored = openDatabase.acquireResource();
                FlushOptions options =
                        new FlushOptions().setWaitForFlush(true).setAllowWriteStall(false)) {
            flushed = families;
            if (!closing) {
                backend.db.flush(options, families);
            }
        } catch (IOException e) {
            LOG.debug("Nothing is flushed any more: the backend is being closed", e);
        } catch (RocksDBException e) {
            LOG.debug("Could not flush ahead of a snapshot, which will tell what is wrong", e);
        }
    }

    /**
     * Waits for the end of a running flush, and lets no other one begin. Does not cancel it:
     * RocksDB would have to stop its background work for that, and the batch that the delegate
     * writes as it closes could then wait for ever. But one that RocksDB holds back until its
     * compactions have caught up runs now.
     */
    @Override
    public void close() {
        closing = true;
        for (ColumnFamilyHandle family : flushed) {
            if (openDatabase.getLeaseCount() > 0) {
                neverStall(family);
            }
        }
        openDatabase.closeUninterruptibly();
    }

    /** The task writes nothing any more, so there is no need to slow it down. */
    private void neverStall(ColumnFamilyHandle family) {
        try {
            backend.db.setOptions(
                    family,
                    MutableColumnFamilyOptions.builder()
                            .setLevel0SlowdownWritesTrigger(Integer.MAX_VALUE)
                            .setLevel0StopWritesTrigger(Integer.MAX_VALUE)
                            .setSoftPendingCompactionBytesLimit(0)
                            .setHardPendingCompactionBytesLimit(0)
                            .build());
        } catch (RocksDBException e) {
            LOG.debug("The end of the backend waits until RocksDB ends a flush", e);
        }
    }
}
