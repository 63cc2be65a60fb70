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
package io.dstl.changelog.testing;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.AbstractEventListener.EnabledEventCallback;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionJobInfo;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

/** With so many files on level 0 a database slows writes down, and compactions do not get on. */
public class HeldCompactions implements RocksDBOptionsFactory, AutoCloseable {
    private static final long serialVersionUID = 1L;

    public static final int TRIGGER = 4;

    private transient volatile CompletableFuture<Void> released = new CompletableFuture<>();

    /** They don't get on from now on. */
    public void hold() {
        released = new CompletableFuture<>();
    }

    /** They get on from now on. */
    @Override
    public void close() {
        released.complete(null);
    }

    @Override
    public DBOptions createDBOptions(DBOptions options, Collection<AutoCloseable> toClose) {
        AbstractEventListener hold =
                new AbstractEventListener(EnabledEventCallback.ON_COMPACTION_BEGIN) {
                    @Override
                    public void onCompactionBegin(RocksDB database, CompactionJobInfo job) {
                        released.join();
                    }
                };
        toClose.add(hold);
        return options.setListeners(List.of(hold));
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(
            ColumnFamilyOptions options, Collection<AutoCloseable> toClose) {
        return options.setLevel0FileNumCompactionTrigger(TRIGGER)
                .setLevel0SlowdownWritesTrigger(TRIGGER)
                .setLevel0StopWritesTrigger(10 * TRIGGER);
    }
}
