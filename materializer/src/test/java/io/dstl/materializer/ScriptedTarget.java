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

import io.dstl.materializer.Materialization.MaterializationId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.util.ExceptionUtils;

/**
 * A target whose snapshots do what the test has planned for them, in order, and succeed where it
 * has planned nothing. Writes down every call.
 */
final class ScriptedTarget implements MaterializationTarget {

    /** What one call of {@link #begin} is to do. */
    interface Begin {
        Optional<Callable<SnapshotResult<KeyedStateHandle>>> begin() throws Exception;
    }

    final List<String> calls = new ArrayList<>();
    final List<Throwable> causes = new ArrayList<>();
    final List<Materialization> begun = new ArrayList<>();
    final AtomicLong steps = new AtomicLong();
    volatile Duration patience = Duration.ZERO;
    final Queue<CompletableFuture<?>> partsOfTheLog = new ArrayDeque<>();
    private final Queue<Begin> script = new ArrayDeque<>();
    private final StallWatch.Progress progress =
            new StallWatch.Progress() {
                @Override
                public long steps() {
                    return steps.get();
                }

                @Override
                public Duration patience() {
                    return patience;
                }
            };
    private MaterializationId last = new MaterializationId(7);
    private Optional<Exception> completionFailure = Optional.empty();
    private Optional<Exception> logFailure = Optional.empty();
    Optional<RuntimeException> cancelFailure = Optional.empty();
    boolean ready = true;
    boolean stalls;
    boolean throttled;
    Optional<LogSize> size = Optional.empty();

    /** One for each time that a flush is worth it. */
    final Queue<Runnable> ahead = new ArrayDeque<>();

    /** By each of these. */
    Duration waitedAhead = Duration.ZERO;

    final List<Flush> flushes = new ArrayList<>();

    void plan(Begin begin) {
        script.add(begin);
    }

    void planNothingToDo() {
        plan(Optional::empty);
    }

    void planUpload(Callable<SnapshotResult<KeyedStateHandle>> upload) {
        plan(() -> Optional.of(upload));
    }

    void planFailedUpload(Throwable cause) {
        planUpload(
                () -> {
                    ExceptionUtils.rethrowException(cause);
                    return SnapshotResult.empty();
                });
    }

    void failNextCompletion(Exception cause) {
        completionFailure = Optional.of(cause);
    }

    void failTheLog(Exception cause) {
        logFailure = Optional.of(cause);
    }

    @Override
    public boolean ready() {
        return ready;
    }

    @Override
    public Optional<LogSize> size() {
        return size;
    }

    @Override
    public Optional<WorkAhead> flushAhead(Flush which) {
        flushes.add(which);
        return Optional.ofNullable(ahead.poll())
                .map(
                        work ->
                                () -> {
                                    work.run();
                                    return waitedAhead;
                                });
    }

    @Override
    public boolean putOff() {
        return stalls;
    }

    @Override
    public Optional<Materialization> begin() throws Exception {
        last = last.next();
        MaterializationId id = last;
        calls.add("begin " + id);
        Begin next = script.isEmpty() ? () -> Optional.of(SnapshotResult::empty) : script.remove();
        Optional<Materialization> materialization =
                next.begin()
                        .map(
                                upload ->
                                        new Materialization(
                                                id,
                                                SequenceNumber.of(id.value()),
                                                new FutureTask<>(upload),
                                                progress));
        materialization.ifPresent(begun::add);
        return materialization;
    }

    @Override
    public Optional<CompletableFuture<?>> prepareLog(Materialization materialization)
            throws Exception {
        if (logFailure.isPresent()) {
            throw logFailure.get();
        }
        if (!partsOfTheLog.isEmpty()) {
            calls.add("log " + materialization.id());
        }
        return Optional.ofNullable(partsOfTheLog.poll());
    }

    @Override
    public void complete(Materialization materialization, SnapshotResult<KeyedStateHandle> result)
            throws Exception {
        calls.add("complete " + materialization.id());
        if (completionFailure.isPresent()) {
            Exception cause = completionFailure.get();
            completionFailure = Optional.empty();
            throw cause;
        }
    }

    @Override
    public boolean isThrottled(Throwable failure) {
        return throttled;
    }

    @Override
    public void fail(MaterializationId id, Throwable cause) {
        calls.add("fail " + id);
        causes.add(cause);
    }

    @Override
    public void cancel(MaterializationId id) {
        calls.add("cancel " + id);
        if (cancelFailure.isPresent()) {
            throw cancelFailure.get();
        }
    }
}
