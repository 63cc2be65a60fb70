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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.replay.BackgroundReplay;
import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.materializer.Materializer;
import io.dstl.store.Closeables;
import java.util.Optional;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;

/**
 * The parts of one {@link LoggedKeyedStateBackend}, and the order in which they end:
 * materialization first, so that no new snapshot begins; then the files that no checkpoint was
 * given; then the log, which releases its segments.
 *
 * <p>Threading: the task thread, except for {@link #cancel()}. The parts end there and not on a
 * cancelling thread: only once the task processes nothing is it certain which files no checkpoint
 * was given.
 */
final class BackendParts<K> {
    private final LoggedStateDirectory<K> states;
    private final KeyedCheckpoints<K> checkpoints;
    private final Materializer materializer;
    private final StateChangelogWriter<?> writer;
    private final Optional<SegmentedChangeLog> log;
    private final Runnable endOfFlushes;
    private final Optional<BackgroundReplay> background;

    private boolean ended;

    /**
     * @param endOfFlushes waits until no other thread uses the delegate
     * @param background of the restored log; closed with the parts
     */
    BackendParts(
            LoggedStateDirectory<K> states,
            KeyedCheckpoints<K> checkpoints,
            Materializer materializer,
            StateChangelogWriter<?> writer,
            Runnable endOfFlushes,
            Optional<BackgroundReplay> background) {
        this.states = requireNonNull(states);
        this.checkpoints = requireNonNull(checkpoints);
        this.materializer = requireNonNull(materializer);
        this.writer = requireNonNull(writer);
        this.log =
                writer instanceof SegmentedChangeLog
                        ? Optional.of((SegmentedChangeLog) writer)
                        : Optional.empty();
        this.endOfFlushes = requireNonNull(endOfFlushes);
        this.background = requireNonNull(background);
    }

    LoggedStateDirectory<K> states() {
        return states;
    }

    KeyedCheckpoints<K> checkpoints() {
        return checkpoints;
    }

    void start() {
        materializer.start();
    }

    /**
     * The checkpoint's log may be large enough to materialize, and its confirmation allows that.
     *
     * @return whether it is a checkpoint that this attempt of the task took part in
     */
    boolean complete(long checkpointId) throws Exception {
        boolean known = checkpoints.complete(checkpointId);
        materializer.checkpointed();
        return known;
    }

    /** All retained checkpoints are later than this one: what only aborted ones listed can go. */
    void subsume(long checkpointId) {
        log.ifPresent(segments -> segments.subsumed(checkpointId));
    }

    /** Called when the task is cancelled. Any thread; the task thread may still be at work. */
    void cancel() {
        Closeables.closeAll(
                materializer::cancelTask,
                () -> background.ifPresent(BackgroundReplay::cancel),
                () -> log.ifPresent(SegmentedChangeLog::endWaits));
    }

    /**
     * The log that no checkpoint lists goes with the task: Flink's own storage deletes what it has
     * stored of it only if it is told so. A second call does nothing, as some storages' writers
     * can't be closed twice.
     */
    void end() {
        if (ended) {
            return;
        }
        ended = true;
        Closeables.closeAll(
                materializer::close,
                () -> background.ifPresent(BackgroundReplay::close),
                endOfFlushes::run,
                checkpoints::end,
                () -> writer.truncateAndClose(checkpoints.unlisted()));
    }
}
