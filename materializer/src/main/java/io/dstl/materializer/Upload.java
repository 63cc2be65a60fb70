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
package io.dstl.materializer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upload of one materialization, and who answers for what it makes. It ends, and the task takes
 * its result over; or the task gives it up first, and the thread that runs it has to discard what
 * it makes all the same. Whichever comes first wins, so a result is taken or discarded, and once.
 *
 * <p>Thread-safe.
 */
final class Upload extends BackgroundWork {

    private final Materialization materialization;

    private volatile Optional<SnapshotResult<KeyedStateHandle>> result = Optional.empty();

    Upload(Materialization materialization) {
        this.materialization = requireNonNull(materialization);
    }

    Materialization materialization() {
        return materialization;
    }

    @Override
    public long steps() {
        return materialization.steps();
    }

    /**
     * The upload has succeeded.
     *
     * @return false if nobody wants the result, which is the caller's to discard
     */
    boolean end(SnapshotResult<KeyedStateHandle> made) {
        result = Optional.of(made);
        return end();
    }

    /** Of an upload that has ended; empty if it has failed. */
    Optional<SnapshotResult<KeyedStateHandle>> result() {
        return result;
    }

    @Override
    TimeoutException silence(String task, Duration allowed) {
        return new TimeoutException(
                this
                        + " of "
                        + task
                        + " was given up: for "
                        + allowed.getSeconds()
                        + " s nothing that it writes has got anywhere. See that this TaskManager"
                        + " reaches the file system of "
                        + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                        + ", and where a thread dump shows threads named dstl-materialization."
                        + " The thread was interrupted; if it hangs on, it stays until its file"
                        + " system lets it go, and other uploads take its place.");
    }

    @Override
    public String toString() {
        return materialization.toString();
    }

    /**
     * Deletes what uploads have made and nobody takes over, on the task's thread for deletions. A
     * failure is logged, and the files stay.
     *
     * <p>Thread-safe.
     */
    static final class UnwantedResults {

        private static final Logger LOG = LoggerFactory.getLogger(UnwantedResults.class);

        private final HostTask task;

        UnwantedResults(HostTask task) {
            this.task = requireNonNull(task);
        }

        /**
         * No handle lists what an upload makes that was given up: only its result names the files.
         * Not deleted on this thread, which is interrupted about now.
         */
        void discardLate(Upload upload, SnapshotResult<KeyedStateHandle> result) {
            LOG.info(
                    "The upload of {} of {} has ended after it was given up: its files are deleted.",
                    upload,
                    task.name());
            discard(upload, result);
        }

        /** Of an upload that has ended; without effect if it has failed. */
        void discard(Upload upload) {
            upload.result().ifPresent(result -> discard(upload, result));
        }

        private void discard(Upload upload, SnapshotResult<KeyedStateHandle> result) {
            LOG.debug("Discarding the result of {}: nobody takes it over", upload);
            try {
                task.deletions().execute(() -> discardNow(upload, result));
            } catch (RejectedExecutionException e) {
                discardNow(upload, result);
            }
        }

        private void discardNow(Upload upload, SnapshotResult<KeyedStateHandle> result) {
            try {
                result.discardState();
            } catch (Exception e) {
                LOG.warn(
                        "Could not discard the result of {} of {}: its files stay in the store,"
                                + " referenced by nothing",
                        upload,
                        task.name(),
                        task.shown(e));
            }
        }
    }
}
