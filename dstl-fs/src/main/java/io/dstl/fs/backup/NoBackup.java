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
package io.dstl.fs.backup;

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.batch.SegmentLocation;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;

/** Where local recovery is off, or not possible. */
final class NoBackup implements LogBackup {

    @Override
    public boolean isKept() {
        return false;
    }

    @Override
    public void keep(ChangeSet changes, Consumer<Optional<SegmentLocation>> outcome) {
        outcome.accept(Optional.empty());
    }

    @Override
    public void delete(SegmentLocation backup) {
        throw new IllegalArgumentException(backup + " is no backup that was kept here");
    }

    @Override
    public void keepRestored(Collection<? extends ChangelogStateHandle> restored) {}

    @Override
    public void deleteRestored() {}

    @Override
    public void close() {}
}
