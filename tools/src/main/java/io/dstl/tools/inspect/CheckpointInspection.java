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
package io.dstl.tools.inspect;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.read.UncachedSource;
import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.inspect.CheckpointFindings.OperatorFindings;
import io.dstl.tools.inspect.CheckpointFindings.SegmentUse;
import io.dstl.tools.inspect.LogWalk.ChangeSink;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;

/**
 * Reads the log of a checkpoint, several subtasks at a time, each as a replay would.
 *
 * <p><b>Memory</b> beside the metadata: for each thread one block of a segment and a table of keys
 * of bounded size; for each segment its path, and for each change set its age.
 */
final class CheckpointInspection {
    private final CheckpointMetadata metadata;
    private final InspectSettings settings;
    private final Redaction redaction;
    private final long tableBytes;
    private final UncachedSource source;
    private final CheckpointFindings findings;

    /** Of which the store did not tell. */
    private final Map<Path, SegmentUse> unreachable = new LinkedHashMap<>();

    /**
     * @param redaction of what is said of damage
     * @param tableBytes of each thread, for the keys that are followed
     */
    CheckpointInspection(
            CheckpointMetadata metadata,
            InspectSettings settings,
            Redaction redaction,
            long tableBytes) {
        this.metadata = metadata;
        this.settings = settings;
        this.findings = new CheckpointFindings(settings.top());
        this.redaction = redaction;
        this.tableBytes = tableBytes;
        // Flink's file systems, as they are all that there is a configuration for in any case.
        this.source = new UncachedSource(new FileSystemOpener());
    }

    /** How many change sets there are to read. */
    private static long countSets(List<OperatorLogs> operators) {
        return operators.stream()
                .flatMap(operator -> operator.subtasks().values().stream())
                .flatMap(List::stream)
                .flatMap(handle -> handle.getNonMaterializedStateHandles().stream())
                .mapToLong(log -> setsOf(log).size())
                .sum();
    }

    private static List<SegmentLocation> setsOf(ChangelogStateHandle log) {
        List<SegmentLocation> sets = new ArrayList<>();
        if (log instanceof ChangelogStateHandleStreamImpl) {
            for (var set : ((ChangelogStateHandleStreamImpl) log).getHandlesAndOffsets()) {
                sets.add(new SegmentLocation(set.f0, set.f1));
            }
        }
        return sets;
    }

    /** What {@link #run} has found, also until it threw. */
    CheckpointFindings findings() {
        return findings;
    }

    /**
     * @throws Exception if the metadata has what this version does not know, or the store can't be
     *     reached; what is wrong with segments is among the findings
     */
    void run(List<OperatorLogs> operators, Progress progress) throws Exception {
        for (OperatorState operator : metadata.getOperatorStates()) {
            findings.fullBytes += operator.getStateSize();
        }
        try (ParallelWork work = new ParallelWork("inspect", settings.threads(), progress)) {
            KeyTypeSearch search = new KeyTypeSearch(source, redaction);
            progress.begin("Types of keys: of %,d of %,d operators", operators.size(), 0);
            work.forEach(
                    operators.iterator(),
                    operator ->
                            new OperatorFindings(
                                    operator, search.of(operator).or(settings.keyType())),
                    (operator, found) -> {
                        progress.done(0);
                        findings.operators.put(operator.id(), found);
                    });
            operators.forEach(this::noteSegments);
            progress.begin("Looked at: %,d of %,d segments", findings.segments.size(), 0);
            work.forEach(
                    findings.segments.entrySet().iterator(),
                    this::look,
                    (segment, use) -> {
                        progress.done(0);
                        countUnreachable(segment.getKey(), use);
                    });
            progress.begin("Read: %,d of %,d change sets" + wholeSets(), countSets(operators), 0);
            work.forEach(
                    readings(operators, progress).iterator(),
                    Callable::call,
                    (task, read) -> take(read));
        }
    }

    /** Nothing says where in these a key group begins. */
    private String wholeSets() {
        long unindexed = findings.segments.values().stream().filter(use -> !use.isIndexed).count();
        return unindexed == 0
                ? ""
                : ", from end to end in " + unindexed + " segments without an index";
    }

    private void noteSegments(OperatorLogs operator) {
        operator.subtasks().values().stream()
                .flatMap(List::stream)
                .flatMap(handle -> handle.getNonMaterializedStateHandles().stream())
                .flatMap(log -> setsOf(log).stream())
                .forEach(
                        set ->
                                set.file()
                                        .ifPresent(
                                                file ->
                                                        findings.segments
                                                                .computeIfAbsent(
                                                                        file,
                                                                        any -> new SegmentUse(set))
                                                                .operators
                                                                .add(operator.id())));
    }

    private SegmentUse look(Map.Entry<Path, SegmentUse> segment) {
        SegmentUse use = segment.getValue();
        try {
            FileStatus status = Directory.status(segment.getKey());
            use.bytes = status.getLen();
            use.writtenAt = Optional.of(status.getModificationTime());
        } catch (FileNotFoundException e) {
            use.bytes = 0;
        } catch (IOException | RuntimeException e) {
            // Reading it says more of what is wrong. Its size is in the metadata.
            use.failure = Optional.of(e);
        }
        return use;
    }

    /** The store is at fault, or the access to it, where this happens again and again. */
    private void countUnreachable(Path segment, SegmentUse use) throws CommandFailure {
        if (use.failure.isPresent()) {
            unreachable.put(segment, use);
        }
        if (unreachable.size() == Damages.MOST_UNREACHABLE) {
            unreachable.forEach(
                    (path, failed) ->
                            damaged(
                                    path,
                                    () -> Damages.text(failed.failure.orElseThrow(), redaction)));
            throw Damages.unreachable(segment, Damages.text(use.failure.orElseThrow(), redaction));
        }
    }

    private void damaged(Path segment, Supplier<String> cause) {
        SegmentUse use = findings.segments.get(segment);
        if (!use.isDamaged) {
            use.isDamaged = true;
            findings.damages.add(Redacted.of(segment).toString(), cause);
        }
    }

    /** Each is begun with when it is called, and forgotten once it is taken. */
    private List<Callable<SubtaskReading>> readings(
            List<OperatorLogs> operators, Progress progress) {
        List<Callable<SubtaskReading>> tasks = new ArrayList<>();
        for (OperatorLogs operator : operators) {
            OperatorFindings found = findings.operators.get(operator.id());
            for (List<ChangelogStateBackendHandle> handles : operator.subtasks().values()) {
                tasks.add(() -> new SubtaskReading(found, handles, progress).read());
            }
        }
        return tasks;
    }

    private void take(SubtaskReading task) {
        OperatorFindings found = task.operator;
        found.tally.add(task.tally);
        found.storedBytes += task.storedBytes;
        found.slowestReplaySeconds =
                Math.max(
                        found.slowestReplaySeconds,
                        settings.replay()
                                .seconds(task.tally.total().count(), task.tally.total().bytes()));
        found.records.addAll(task.records);
        task.writtenAt.forEach(found.sets::add);
        findings.sampledOneIn = Math.max(findings.sampledOneIn, task.live.rate());
        task.damaged.forEach((segment, cause) -> damaged(segment, () -> cause));
        task.damagedWithoutFile.forEach(
                (set, cause) -> findings.damages.add(set.toString(), () -> cause));
    }

    /** Reads the log of one subtask, on one thread; the caller's thread takes what it has found. */
    private final class SubtaskReading implements ChangeSink, LogWalk.Listener {
        private final OperatorFindings operator;
        private final List<ChangelogStateBackendHandle> handles;
        private final LiveBytes live = new LiveBytes(tableBytes);
        private final LogTally tally;
        private final List<KeyRecords> records = new ArrayList<>();
        private final List<Long> writtenAt = new ArrayList<>();

        /** Why, only of as many as are shown: the text of the others is empty. */
        private final Map<Path, String> damaged = new LinkedHashMap<>();

        private final Map<SegmentLocation, String> damagedWithoutFile = new LinkedHashMap<>();
        private final Progress progress;
        private long storedBytes;
        private long contentBytes;

        SubtaskReading(
                OperatorFindings operator,
                List<ChangelogStateBackendHandle> handles,
                Progress progress) {
            this.operator = operator;
            this.handles = handles;
            this.progress = progress;
            this.tally = LogTally.of(new VoidJudge(operator.keys, live));
            settings.key()
                    .ifPresent(
                            key ->
                                    records.add(
                                            new KeyRecords(
                                                    settings.state().get(),
                                                    key,
                                                    operator.keys,
                                                    settings.top())));
        }

        SubtaskReading read() throws IOException {
            new LogWalk(source, this, this).walk(handles);
            live.release();
            return this;
        }

        @Override
        public void beginSet(SegmentLocation set) {
            tally.beginSet(set);
            records.forEach(found -> found.beginSet(set));
        }

        @Override
        public void metadata(DescribedState state, byte[] record) {
            tally.metadata(state, record);
        }

        @Override
        public void change(DescribedState state, ChangeOp op, int keyGroup, byte[] record) {
            tally.change(state, op, keyGroup, record);
            records.forEach(found -> found.change(state, op, keyGroup, record));
        }

        @Override
        public void setDone(SegmentLocation set) {
            set.file()
                    .map(findings.segments::get)
                    .flatMap(use -> use.writtenAt)
                    .ifPresent(writtenAt::add);
            progress.done(0);
        }

        /**
         * Flink knows no size of a log once it was cut to other key groups: then, of its content.
         */
        @Override
        public void logDone(ChangelogStateHandle log) {
            long before = contentBytes;
            contentBytes = tally.total().bytes();
            long stored = log.getStateSize();
            storedBytes += stored == 0 ? contentBytes - before : stored;
        }

        @Override
        public void damaged(SegmentLocation set, Exception cause) {
            if (set.file().isEmpty()) {
                damagedWithoutFile.put(set, Damages.text(cause, redaction));
            } else if (damaged.size() < settings.top()) {
                damaged.putIfAbsent(set.file().get(), Damages.text(cause, redaction));
            } else {
                damaged.putIfAbsent(set.file().get(), "");
            }
        }
    }
}
