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
package io.dstl.fs.log;

import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.batch.Epoch;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.batch.Submission;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One change set on its way to the store and, once it is there, to the local disk of its task: in
 * this order, so that nothing is kept that no checkpoint can list.
 */
final class SetUpload extends Submission {

    /** Takes the news of a stored change set. */
    interface Success {
        void stored(LoggedSet set, SegmentLocation location, Optional<SegmentLocation> backup);
    }

    private final LoggedSet set;
    private final LogBackup backup;
    private final Success success;
    private final BiConsumer<LoggedSet, Throwable> failure;

    SetUpload(
            LoggedSet set,
            Epoch epoch,
            LogBackup backup,
            Success success,
            BiConsumer<LoggedSet, Throwable> failure) {
        super(set.changes(), epoch, set.bytes());
        this.set = set;
        this.backup = backup;
        this.success = success;
        this.failure = failure;
    }

    @Override
    protected boolean isWanted() {
        return set.isNeeded();
    }

    @Override
    protected void stored(SegmentLocation location) {
        AtomicBoolean told = new AtomicBoolean();
        Consumer<Optional<SegmentLocation>> outcome =
                kept -> {
                    if (told.compareAndSet(false, true)) {
                        success.stored(set, location, kept);
                    }
                };
        try {
            backup.keep(set.changes(), outcome);
        } catch (Throwable t) {
            // The segment is there, which is what counts.
            outcome.accept(Optional.empty());
            throw t;
        }
    }

    @Override
    protected void failed(Throwable cause) {
        failure.accept(set, cause);
    }
}
