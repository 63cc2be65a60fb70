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
package io.dstl.fs.testing;

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.batch.SegmentLocation;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Knows the names of what is kept, and fails when it is told to. */
public final class MemoryBackup implements LogBackup {

    private final Set<String> kept = new TreeSet<>();
    private int named;
    private boolean failing;
    private boolean throwing;
    private boolean restoredDeleted;
    private boolean closed;

    public void failFromNowOn() {
        failing = true;
    }

    /** Without an outcome: as an error in the code of a backup would. */
    public void throwFromNowOn() {
        throwing = true;
    }

    public Set<String> kept() {
        return kept;
    }

    public boolean isRestoredDeleted() {
        return restoredDeleted;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isKept() {
        return true;
    }

    @Override
    public void keep(ChangeSet changes, Consumer<Optional<SegmentLocation>> outcome) {
        if (throwing) {
            throw new IllegalStateException("the backup is broken");
        }
        if (failing || closed) {
            outcome.accept(Optional.empty());
            return;
        }
        String name = "disk/" + ++named;
        kept.add(name);
        outcome.accept(Optional.of(new SegmentLocation(new FileStateHandle(new Path(name), 1), 0)));
    }

    @Override
    public void delete(SegmentLocation backup) {
        String name = ((FileStateHandle) backup.segment()).getFilePath().toString();
        if (!kept.remove(name)) {
            throw new IllegalStateException(name + " is not kept, or was deleted before");
        }
    }

    @Override
    public void keepRestored(Collection<? extends ChangelogStateHandle> restored) {}

    @Override
    public void deleteRestored() {
        restoredDeleted = true;
    }

    @Override
    public void close() {
        closed = true;
    }
}
