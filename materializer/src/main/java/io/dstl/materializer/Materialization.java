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
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/** One snapshot of the delegate that is being uploaded, and the part of the log it covers. */
public final class Materialization {

    private final MaterializationId id;
    private final SequenceNumber upTo;
    private final RunnableFuture<SnapshotResult<KeyedStateHandle>> upload;
    private final StallWatch.Progress progress;

    /**
     * @param upTo the end of the part of the log that the snapshot covers, exclusive
     * @param upload the asynchronous part; not yet started
     * @param progress of the upload
     */
    public Materialization(
            MaterializationId id,
            SequenceNumber upTo,
            RunnableFuture<SnapshotResult<KeyedStateHandle>> upload,
            StallWatch.Progress progress) {
        this.id = requireNonNull(id);
        this.upTo = requireNonNull(upTo);
        this.upload = requireNonNull(upload);
        this.progress = requireNonNull(progress);
    }

    public MaterializationId id() {
        return id;
    }

    /** The end of the part of the log that the snapshot covers, exclusive. */
    public SequenceNumber upTo() {
        return upTo;
    }

    /** The asynchronous part. Run it once, on any thread; cancel it to give it up. */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> upload() {
        return upload;
    }

    public StallWatch.Progress progress() {
        return progress;
    }

    /**
     * Why the upload was given up: it made no progress for so long.
     *
     * @param task whose it is
     */
    public TimeoutException silence(String task, Duration allowed) {
        return new TimeoutException(
                this
                        + " of "
                        + task
                        + " was given up: for "
                        + allowed.getSeconds()
                        + " s, and a second more for each megabyte of a file that it was closing,"
                        + " nothing that it writes has got anywhere. See that this TaskManager"
                        + " reaches the file system of "
                        + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                        + ", and where a thread dump shows threads named dstl-materialization."
                        + " The thread was interrupted; if it hangs on, it stays until its file"
                        + " system lets it go, and other uploads take its place.");
    }

    @Override
    public String toString() {
        return "materialization " + id.value() + " up to " + upTo;
    }

    /**
     * Identifies one materialization of one keyed state backend. Grows by one with each attempt and
     * never decreases, not even across restores: the delegate gets it in place of the checkpoint
     * id.
     */
    public static final class MaterializationId implements Comparable<MaterializationId> {

        private final long value;

        /**
         * @param value not negative; 0 stands for "nothing materialized yet" in a checkpoint's
         *     metadata
         */
        public MaterializationId(long value) {
            if (value < 0) {
                throw new IllegalArgumentException(
                        "A materialization id is not negative: " + value);
            }
            this.value = value;
        }

        public long value() {
            return value;
        }

        public MaterializationId next() {
            return new MaterializationId(Math.addExact(value, 1));
        }

        @Override
        public int compareTo(MaterializationId other) {
            return Long.compare(value, other.value);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof MaterializationId && ((MaterializationId) other).value == value;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(value);
        }

        @Override
        public String toString() {
            return Long.toString(value);
        }
    }
}
