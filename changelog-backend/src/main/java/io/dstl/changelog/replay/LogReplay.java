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
package io.dstl.changelog.replay;

import static org.apache.flink.runtime.state.changelog.StateChange.META_KEY_GROUP;

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateId;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.RecordInput;
import io.dstl.materializer.ReplayRate;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.clock.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the logs of a checkpoint into a target.
 *
 * <p>Owns the order, the table of state ids, and the choice of this subtask's changes: those of the
 * key groups that the target, the handle and the log have in common, since after scaling in several
 * handles name the same segment, each for its own key groups. Always replays metadata. Owns neither
 * how a change is applied ({@link ReplayTarget}) nor how a log is read ({@link LogSource}).
 *
 * <p>Used by one thread, for one restore. Ends at the first change that can't be applied, and soon
 * after the task is cancelled.
 */
public final class LogReplay {
    private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);

    private final ReplayTarget target;
    private final LogSource source;
    private final ClassLoader userClassLoader;
    private final CloseableRegistry cancellation;
    private final Clock clock;
    private final ReplayRate rate;
    private final RecordInput record = new RecordInput();
    private long changes;
    private long workMillis;

    /**
     * @param userClassLoader knows the classes of the user's serializers
     * @param cancellation closed when the task is cancelled
     * @param rate gets the speed of the replay
     */
    public LogReplay(
            ReplayTarget target,
            LogSource source,
            ClassLoader userClassLoader,
            CloseableRegistry cancellation,
            Clock clock,
            ReplayRate rate) {
        this.target = target;
        this.source = source;
        this.userClassLoader = userClassLoader;
        this.cancellation = cancellation;
        this.clock = clock;
        this.rate = rate;
    }

    /** For tests: announces the logs of these handles, replays and closes them. */
    void replay(Collection<? extends ChangelogStateBackendHandle> handles)
            throws LogReplayException {
        try (AnnouncedLogs logs = AnnouncedLogs.of(handles, target.keyGroups(), source)) {
            replay(logs);
        }
    }

    /**
     * Replays the logs of all handles, handle by handle; ignores the materialized part.
     *
     * @param announced to this replay's source, with this target's key groups; the caller closes
     *     them
     * @throws LogReplayException if a log can't be replayed to its end
     * @throws org.apache.flink.runtime.execution.CancelTaskException if the task is cancelled
     */
    public void replay(AnnouncedLogs announced) throws LogReplayException {
        long begin = clock.relativeTimeMillis();
        long waitedBefore = target.waitedMillis() + source.waitedMillis();
        long bytes = 0;
        for (AnnouncedLogs.HandleLogs each : announced.logs()) {
            bytes += replay(each, announced);
        }
        complete();
        long waited = target.waitedMillis() + source.waitedMillis() - waitedBefore;
        workMillis = clock.relativeTimeMillis() - begin - waited;
        rate.add(bytes, Duration.ofMillis(workMillis));
        target.leave();
    }

    /**
     * Does the same as {@link #replay(AnnouncedLogs)}, for logs of no job: it does not add to the
     * rate of replay, nor write to the TaskManager's log.
     */
    void rehearse(AnnouncedLogs announced) throws LogReplayException {
        for (AnnouncedLogs.HandleLogs each : announced.logs()) {
            replay(each, announced, new ReplayTally(clock));
        }
        complete();
    }

    /** The number of replayed changes of this subtask's states, without metadata. */
    public long changes() {
        return changes;
    }

    /** The milliseconds that the last replay took, without waits that delayed nobody. */
    public long workMillis() {
        return workMillis;
    }

    private void complete() throws LogReplayException {
        try {
            target.complete();
        } catch (Exception e) {
            Cancellation.of(cancellation).check(e);
            throw new LogReplayException(
                    "Cannot replay the last changes of the log: " + ChangeCursor.reason(e), e);
        }
    }

    /** Returns the bytes of the applied changes, without compression. */
    private long replay(AnnouncedLogs.HandleLogs logs, AnnouncedLogs announced)
            throws LogReplayException {
        ReplayTally tally = new ReplayTally(clock);
        replay(logs, announced, tally);
        LOG.info(
                "Replayed {}: checkpoint {}, key groups {}",
                tally,
                logs.handle().getCheckpointId(),
                logs.keyGroups().prettyPrintInterval());
        return tally.bytes();
    }

    private void replay(AnnouncedLogs.HandleLogs logs, AnnouncedLogs announced, ReplayTally tally)
            throws LogReplayException {
        StateBindings bindings = new StateBindings();
        for (LoggedChangeSet changeSet : logs.changeSets()) {
            replay(changeSet, bindings, tally);
            announced.done(changeSet.handle());
        }
    }

    private void replay(LoggedChangeSet changeSet, StateBindings bindings, ReplayTally tally)
            throws LogReplayException {
        tally.opened(changeSet);
        try (ChangeCursor changes = ChangeCursor.open(changeSet, source, cancellation)) {
            begin(changes);
            while (changes.next()) {
                if (apply(changes, changeSet.keyGroups(), bindings)) {
                    tally.applied(changes.current());
                } else {
                    tally.skipped();
                }
            }
        }
    }

    private void begin(ChangeCursor changes) throws LogReplayException {
        boolean trusted = changes.isTrusted();
        try {
            target.begin(trusted);
        } catch (Exception e) {
            throw changes.cannotBegin(e);
        }
    }

    private boolean apply(ChangeCursor cursor, KeyGroupRange keyGroups, StateBindings bindings)
            throws LogReplayException {
        try {
            StateChange change = cursor.current();
            record.open(change.getChange());
            ChangeOp op = ChangeOp.byCode(record.readByte());
            expectGroup(op, change.getKeyGroup());
            boolean applied = true;
            if (op == ChangeOp.METADATA) {
                StateMetadata metadata = StateMetadata.read(record, userClassLoader);
                bindings.bind(metadata.id(), target.bind(metadata, keyGroups));
            } else {
                ChangeApplier applier = bindings.get(record.readShort());
                applied = applier.apply(op, change.getKeyGroup(), keyGroups, record);
            }
            if (applied) {
                record.expectEnd();
                changes += op == ChangeOp.METADATA ? 0 : 1;
            }
            return applied;
        } catch (Exception e) {
            throw cursor.cannotApply(e);
        }
    }

    private static void expectGroup(ChangeOp op, int keyGroup) throws IOException {
        if (op != ChangeOp.METADATA && keyGroup == META_KEY_GROUP) {
            throw new IOException("operation " + op + " among the metadata: expected METADATA");
        }
        if (op == ChangeOp.METADATA && keyGroup != META_KEY_GROUP) {
            throw new IOException("operation METADATA in a key group: expected another one");
        }
    }

    /**
     * The table of state ids, which all logs of one backend handle share, in order.
     *
     * <p>Owned by the replay of one handle.
     */
    static final class StateBindings {
        private ChangeApplier[] appliers = new ChangeApplier[16];

        /**
         * Binds an id, or rebinds it: a later writer of the same handle numbers its states anew.
         */
        void bind(StateId id, ChangeApplier applier) {
            int index = id.value();
            if (index >= appliers.length) {
                appliers = Arrays.copyOf(appliers, Math.max(index + 1, 2 * appliers.length));
            }
            appliers[index] = applier;
        }

        /**
         * @throws IOException if no metadata has bound the id
         */
        ChangeApplier get(short id) throws IOException {
            if (id < 0 || id >= appliers.length || appliers[id] == null) {
                throw new IOException(
                        "state id " + id + " is unknown: expected metadata before that binds it");
            }
            return appliers[id];
        }
    }
}
