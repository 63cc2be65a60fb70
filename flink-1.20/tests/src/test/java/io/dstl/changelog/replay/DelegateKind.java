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
package io.dstl.changelog.replay;

import static io.dstl.changelog.testing.Serializers.INTS;

import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.KeyedTask;
import java.nio.file.Path;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** The delegates that each test replays into, and how. */
enum DelegateKind {
    HEAP(Delegate.HEAP, BulkSettings.off()),
    ROCKSDB(Delegate.ROCKSDB, BulkSettings.off()),
    /** With two threads beside the task's, and little memory for each. */
    ROCKSDB_IN_BULK(Delegate.ROCKSDB, BulkSettings.of(2, 400_000)),
    ROCKSDB_WITH_HEAP_TIMERS(Delegate.ROCKSDB_WITH_HEAP_TIMERS, BulkSettings.off());

    static final int KEY_GROUPS = Delegate.KEY_GROUPS;
    static final KeyGroupRange ALL = Delegate.ALL;

    private final Delegate delegate;
    private final BulkSettings bulk;

    DelegateKind(Delegate delegate, BulkSettings bulk) {
        this.delegate = delegate;
        this.bulk = bulk;
    }

    BulkSettings bulk() {
        return bulk;
    }

    AbstractKeyedStateBackend<Integer> create(
            Path directory, KeyGroupRange keyGroups, TtlTimeProvider time) throws Exception {
        return delegate.create(
                directory, new KeyedTask<>(INTS).keyGroups(KEY_GROUPS, keyGroups).time(time));
    }
}
