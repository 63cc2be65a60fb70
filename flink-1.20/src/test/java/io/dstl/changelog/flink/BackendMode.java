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
package io.dstl.changelog.flink;

import io.dstl.changelog.testing.Delegate;
import io.dstl.testkit.Matrix;
import java.util.ArrayList;
import java.util.List;

/** What a base runs on: the delegate, the storage of the log, and what becomes of checkpoints. */
final class BackendMode {

    /** Where the log goes. */
    enum Storage {
        /** Ours, on local files. */
        DSTL,
        /** Flink's, in memory. */
        MEMORY
    }

    private final Delegate delegate;
    private final Storage storage;
    private final SnapshotMode snapshots;

    BackendMode(Delegate delegate, Storage storage, SnapshotMode snapshots) {
        this.delegate = delegate;
        this.storage = storage;
        this.snapshots = snapshots;
    }

    /**
     * Of both delegates, with each kind of snapshot on our storage, and on Flink's: those that run.
     */
    static List<BackendMode> selected() {
        List<BackendMode> all = new ArrayList<>();
        for (Delegate delegate : List.of(Delegate.ROCKSDB, Delegate.HEAP)) {
            for (SnapshotMode snapshots : SnapshotMode.values()) {
                all.add(new BackendMode(delegate, Storage.DSTL, snapshots));
            }
            all.add(new BackendMode(delegate, Storage.MEMORY, SnapshotMode.LOG));
        }
        return Matrix.ofThisRun().select(all);
    }

    Delegate delegate() {
        return delegate;
    }

    Storage storage() {
        return storage;
    }

    SnapshotMode snapshots() {
        return snapshots;
    }

    @Override
    public String toString() {
        return delegate + " on " + storage + ", " + snapshots;
    }
}
