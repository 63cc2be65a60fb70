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

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkState;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.KeyCursor;
import io.dstl.changelog.state.QueueApplier;
import io.dstl.changelog.state.RecordInput;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.clock.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes changes in while the delegate still restores the materialized part. Keeps the last change
 * of each key, and spills to disk what does not fit into memory, in the delegate's own format. Once
 * the delegate exists, this target registers the states, writes the changes taken in, and passes
 * all later ones to the {@link DelegateTarget}. If the task may run beside the replay, this target
 * takes nothing in, as the task then waits only for the base.
 *
 * <p>Waits for the delegate at a change set whose bytes can't be trusted, at a state that only the
 * delegate can keep, at a change that reads, and at the end.
 *
 * <p>Some changes can't be taken in: those with keys of a serializer that the delegate
 * reconfigures, and those of states that the delegate keeps differently than the log says. This is
 * found before anything is written. The replay then fails with a {@link
 * ReplayTarget.ReplayAgainException}, and has to be repeated without this target.
 *
 * <p>One thread uses this target, and uses the delegate alone once it has waited for it. If the
 * task may run meanwhile, that ends when the states are registered: from then on the thread only
 * writes bytes to RocksDB. {@link DelegateSharing} takes care of that.
 *
 * @param <K> type of the key
 */
final class EarlyTarget<K> implements ReplayTarget {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyTarget.class);

    /**
     * Files of a state's changes that wait for RocksDB. It ingests each as a file of its own, and
     * reads and compacts slower the more of them overlap. After that many the log waits for the
     * base.
     */
    static final int MOST_FILES_OF_A_STATE = 32;

    /** Of all states: RocksDB keeps them open. */
    static final int MOST_FILES = 1024;

    private final LoggedLayout.Keys keys;
    private final BulkReplay early;
    private final DelegateSupport.Spill spill;
    private final RestoringTask<K> task;
    private final Clock clock;
    private final DelegateSharing sharing;
    private final Map<String, EarlyState> states = new LinkedHashMap<>();
    private BulkReplay.Tally tally;

    /** Whether the task may run once the states are registered, as far as they are known. */
    private boolean mayRunBeside;

    /** The delegate's target, present once the states are registered with it. */
    private Optional<DelegateTarget<K>> registered = Optional.empty();

    /** The same target, present once all changes taken in are written. */
    private Optional<DelegateTarget<K>> target = Optional.empty();

    /**
     * The failure to register the states, if it came while the replay waited for the log, or when a
     * full table was written.
     */
    private Optional<Exception> failure = Optional.empty();

    private long waitedNanos;

    /** The task, whose thread restores the base: the materialized part. */
    interface RestoringTask<K> extends DelegateSharing.Task {
        boolean isBaseRestored();

        /** Waits until the base is restored; throws its failure. */
        DelegateTarget<K> awaitBase() throws Exception;
    }

    /**
     * @param early keeps the changes taken in; of one thread; closed when they are written, and by
     *     the caller
     * @param spill takes the changes that memory can't keep; the caller's
     */
    EarlyTarget(
            LoggedLayout.Keys keys,
            BulkReplay early,
            DelegateSupport.Spill spill,
            RestoringTask<K> task,
            Clock clock) {
        this.keys = requireNonNull(keys);
        this.early = requireNonNull(early);
        this.spill = requireNonNull(spill);
        this.task = requireNonNull(task);
        this.clock = requireNonNull(clock);
        this.sharing = new DelegateSharing(task, clock);
        this.tally = early.tally();
        this.mayRunBeside = task.mayRunBeside();
    }

    /** Counts the changes taken in before the delegate existed. Complete at the replay's end. */
    BulkReplay.Tally tally() {
        return tally;
    }

    @Override
    public KeyGroupRange keyGroups() {
        return early.keyGroups();
    }

    @Override
    public long waitedMillis() {
        return (waitedNanos + sharing.waitedNanos()) / 1_000_000;
    }

    /** From now on this target uses the delegate alone. Waits for that if the task uses it. */
    void keepTaskWaiting() {
        mayRunBeside = false;
        task.readOn();
        sharing.beAlone();
    }

    @Override
    public void begin(boolean trusted) throws Exception {
        if (!trusted) {
            keepTaskWaiting();
        }
        if (!trusted || target.isPresent()) {
            moveToDelegate().begin(trusted);
        }
    }

    @Override
    public ChangeApplier bind(StateMetadata metadata, KeyGroupRange keyGroups) throws Exception {
        if (sharing.hasBegun()) {
            moveToDelegate();
            Optional<ChangeApplier> known = sharing.find(metadata);
            if (known.isPresent()) {
                return known.get();
            }
            sharing.awaitAlone();
        }
        if (!target.isPresent() && !task.isBaseRestored()) {
            EarlyState known = states.get(metadata.name());
            if (known == null) {
                known = open(metadata, keyGroups);
            }
            if (known != null && known.isOf(metadata)) {
                return known;
            }
        }
        ChangeApplier applier = moveToDelegate().bind(metadata, keyGroups);
        return sharing.add(metadata, applier);
    }

    /**
     * Does what the task needs to go on, if the delegate exists while there is nothing to replay.
     * Call it after the first change set. A failure of this makes the next change fail.
     */
    void whileIdle() {
        if (!task.isBaseRestored()) {
            return;
        }
        if (states.isEmpty() && !registered.isPresent()) {
            task.readOn();
            return;
        }
        try {
            registerAndDecide();
        } catch (Exception e) {
            failure = Optional.of(e);
            task.readOn();
        }
    }

    /**
     * Registers the states, and decides whether the task may run. Not between the descriptions of
     * the states.
     */
    private void registerAndDecide() throws Exception {
        register();
        sharing.decide();
    }

    private boolean maySpill() {
        return spill.files() < MOST_FILES && spill.mostFilesOfAState() < MOST_FILES_OF_A_STATE;
    }

    /** Null if changes of the state can't be taken in before the delegate exists. */
    private EarlyState open(StateMetadata metadata, KeyGroupRange ofLog) {
        Optional<LoggedLayout> layout = layoutOf(metadata);
        Optional<BulkState> opened =
                layout.isPresent() ? early.open(layout.get()) : Optional.empty();
        if (!opened.isPresent()) {
            mayRunBeside = false;
            task.readOn();
            return null;
        }
        EarlyState state = new EarlyState(metadata, ofLog, layout.get(), opened.get());
        states.put(metadata.name(), state);
        return state;
    }

    private Optional<LoggedLayout> layoutOf(StateMetadata metadata) {
        try {
            return LoggedLayout.of(metadata, keys, this::openWriter);
        } catch (RuntimeException e) {
            // The registration with the delegate reports faulty serializers better.
            LOG.debug("State {} has to wait for the delegate", metadata.name(), e);
            return Optional.empty();
        }
    }

    @Override
    public void complete() throws Exception {
        registerAndDecide();
        DelegateTarget<K> last = moveToDelegate();
        if (sharing.hasBegun()) {
            // The task creates its queues anew.
            last.bulk().write();
        } else {
            last.complete();
        }
    }

    @Override
    public void leave() {
        // If the task goes on, the key context is untouched, and belongs to the task.
        if (!sharing.isUnderWay()) {
            target.ifPresent(DelegateTarget::leave);
        }
    }

    /**
     * Moves to the delegate, once: registers all states, writes the changes taken in and those
     * spilled, and closes the table.
     *
     * @return the target of all further changes
     */
    private DelegateTarget<K> moveToDelegate() throws Exception {
        if (!target.isPresent()) {
            DelegateTarget<K> next = register();
            early.write();
            spill.moveTo(this::inDelegate);
            tally = early.tally();
            early.close();
            target = Optional.of(next);
        }
        return target.get();
    }

    /** Finds the delegate's form of a state that was spilled before it was registered. */
    private RawState inDelegate(RawState spilled) {
        return states.values().stream()
                .filter(state -> state.layout == spilled)
                .map(state -> state.opened.raw())
                .findAny()
                .orElse(spilled);
    }

    /** Registers the states with the delegate, in the order of the log. */
    private DelegateTarget<K> register() throws Exception {
        if (failure.isPresent()) {
            throw failure.get();
        }
        if (!registered.isPresent()) {
            if (!task.isBaseRestored()) {
                early.sort();
            }
            DelegateTarget<K> next = await();
            for (EarlyState state : states.values()) {
                state.register(next);
            }
            registered = Optional.of(next);
        }
        return registered.get();
    }

    private DelegateTarget<K> await() throws Exception {
        long begin = clock.relativeTimeNanos();
        try {
            return task.awaitBase();
        } finally {
            waitedNanos += clock.relativeTimeNanos() - begin;
        }
    }

    /**
     * Opens a writer to the delegate if that exists, or else to the spill. All changes taken in go
     * the same way, so earlier ones arrive first.
     */
    private RawState.RawWriter openWriter(Cancellation ofPartition) throws IOException {
        if (!registered.isPresent() && !task.isBaseRestored()) {
            return spill.newWriter();
        }
        try {
            register();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            failure = Optional.of(e);
            throw new IOException(e.getMessage(), e);
        }
        return states.values().iterator().next().opened.raw().newWriter(ofPartition);
    }

    /** A state with the first schema of its log. */
    private final class EarlyState implements ChangeApplier {
        private final StateMetadata metadata;

        /** Those of the first log that has the state. */
        private final KeyGroupRange keyGroups;

        private final LoggedLayout layout;
        private final BulkState opened;
        private final BulkAppliers.Applier inBulk;

        /** Applies the changes once the delegate exists. */
        private ChangeApplier afterwards;

        EarlyState(
                StateMetadata metadata,
                KeyGroupRange keyGroups,
                LoggedLayout layout,
                BulkState opened) {
            this.metadata = metadata;
            this.keyGroups = keyGroups;
            this.layout = layout;
            this.opened = opened;
            this.inBulk =
                    new BulkAppliers.Applier(
                            metadata.name(), early, opened, this::check, this::applyLater);
        }

        /** Whether the description is the same as the first one. */
        boolean isOf(StateMetadata other) throws IOException {
            return other.hasSchemaOf(metadata);
        }

        void register(DelegateTarget<K> next) throws Exception {
            afterwards = next.bind(metadata, keyGroups);
            if (!(afterwards instanceof BulkAppliers.Applier)) {
                throw new ReplayTarget.ReplayAgainException(
                        metadata.name(), next.bulk().leftOut().get(metadata.name()));
            }
            RawState real = ((BulkAppliers.Applier) afterwards).raw();
            if (!layout.fits(real)) {
                throw new ReplayTarget.ReplayAgainException(
                        metadata.name(), "it is kept under other keys than it was logged with");
            }
            opened.settle(real);
            sharing.add(metadata, afterwards);
        }

        @Override
        public boolean apply(ChangeOp op, int keyGroup, KeyGroupRange ofLog, RecordInput record)
                throws Exception {
            if (target.isPresent()) {
                return sharing.apply(afterwards, op, keyGroup, ofLog, record);
            }
            if (registered.isPresent()) {
                return applyLater(op, keyGroup, ofLog, record);
            }
            try {
                if (mayRunBeside) {
                    // Finds keys of another type before the task runs.
                    check(op, keyGroup, record);
                } else if (!task.isBaseRestored() && maySpill()) {
                    return inBulk.apply(op, keyGroup, ofLog, record);
                }
            } catch (IOException | FlinkException e) {
                if (failure.isPresent()) {
                    // Replayed again, the state would count as registered.
                    throw failure.get();
                }
                if (registered.isPresent()) {
                    throw e;
                }
                throw new ReplayTarget.ReplayAgainException(e);
            }
            // If the task does not wait for them, taking changes in would only delay the base.
            return applyLater(op, keyGroup, ofLog, record);
        }

        private boolean applyLater(
                ChangeOp op, int keyGroup, KeyGroupRange ofLog, RecordInput record)
                throws Exception {
            registerAndDecide();
            moveToDelegate();
            return sharing.apply(afterwards, op, keyGroup, ofLog, record);
        }

        private void check(ChangeOp op, int keyGroup, RecordInput record) throws Exception {
            if (layout.form() == RawState.Form.QUEUE) {
                QueueApplier.check(
                        layout.elementSerializer(), keys.numberOfKeyGroups(), op, keyGroup, record);
            } else {
                KeyCursor.check(keys.serializer(), keys.numberOfKeyGroups(), keyGroup, record);
            }
        }
    }
}
