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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.concurrent.FutureUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upload of one materialization, and the ownership of its result. Either the upload ends, and
 * the task takes its result over; or the task gives it up first, and the uploading thread discards
 * the result. The first of the two wins, so a result is either taken or discarded, and only once.
 *
 * <p>Thread-safe.
 */
final class Upload extends BackgroundWork {

    private static final Logger LOG = LoggerFactory.getLogger(Upload.class);

    private final Materialization materialization;

    private volatile Optional<SnapshotResult<KeyedStateHandle>> result = Optional.empty();
    private volatile Optional<Throwable> failure = Optional.empty();

    Upload(Materialization materialization) {
        this.materialization = requireNonNull(materialization);
    }

    Materialization materialization() {
        return materialization;
    }

    @Override
    public long steps() {
        return materialization.progress().steps();
    }

    @Override
    public Duration patience() {
        return materialization.progress().patience();
    }

    /**
     * Runs the upload once, on a thread that may block.
     *
     * @return whether the task waits for the end of this work
     */
    boolean run(HostTask task) {
        begin();
        try {
            result = Optional.of(FutureUtils.runIfNotDoneAndGet(materialization.upload()));
            if (end()) {
                return true;
            }
            discardLate(task);
        } catch (Throwable t) {
            Throwable cause = t instanceof ExecutionException ? t.getCause() : t;
            failure = Optional.of(cause);
            if (t instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (end()) {
                return true;
            }
            LOG.debug("{} had been given up, and has failed", this, task.shown(cause));
        }
        return false;
    }

    /** Why an upload that has ended failed; empty if it succeeded. */
    Optional<Throwable> failure() {
        return failure;
    }

    /** The result of an upload that has ended; empty if the upload failed. */
    Optional<SnapshotResult<KeyedStateHandle>> result() {
        return result;
    }

    /**
     * Deletes the result of an upload that was given up, as no handle lists its files: only the
     * result names them. This thread is being interrupted, so another one deletes them.
     */
    private void discardLate(HostTask task) {
        LOG.info(
                "The upload of {} of {} has ended after it was given up: its files are deleted.",
                this,
                task.name());
        discardResult(task);
    }

    /** Deletes the result, which nobody takes over. Has no effect if the upload failed. */
    void discardResult(HostTask task) {
        result.ifPresent(
                unwanted -> {
                    LOG.debug("Discarding the result of {}: nobody takes it over", this);
                    task.delete(unwanted);
                });
    }

    @Override
    TimeoutException silence(String task, Duration allowed) {
        return materialization.silence(task, allowed);
    }

    @Override
    public String toString() {
        return materialization.toString();
    }
}
