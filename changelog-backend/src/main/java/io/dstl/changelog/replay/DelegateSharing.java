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

import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.SchemaFit;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.RecordInput;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.util.clock.Clock;

/**
 * Decides whether a task may use the delegate while the rest of its log is replayed into it, and
 * makes the replay keep to that. The task may if the replay only has to write bytes to RocksDB, for
 * registered states. A change that needs more of the delegate waits until the task waits for the
 * end of the replay.
 *
 * <p>Used only by the thread that replays, from the registration of the first state on.
 */
final class DelegateSharing {
    private final Task task;
    private final Clock clock;

    /** The states by name. None is added once the use is decided, but those that grow go. */
    private final Map<String, Bound> states = new LinkedHashMap<>();

    private Use use = Use.UNDECIDED;
    private long waitedNanos;

    /** How the replay uses the delegate. */
    private enum Use {
        UNDECIDED,
        /** The replay uses the delegate alone, to its end. */
        ALONE,
        SHARED,
        /** The replay uses the delegate alone, after the task has used it. */
        ALONE_AGAIN
    }

    /** The task that owns the state. */
    interface Task {
        /** Whether the task may run before the replay has ended. */
        default boolean mayRunBeside() {
            return false;
        }

        /** Whether no log of the restore changes the schema of these states, as far as known. */
        default boolean keepTheirSchemas(Set<String> states) {
            return true;
        }

        /**
         * Lets the log be read on after its first change set, as soon as the task waits for that or
         * has begun to run. Only the first call counts.
         */
        default void readOn() {}

        /**
         * Leaves the delegate to the task, which goes on; then waits until the replay may continue,
         * and lets the log be read on.
         *
         * @param registered the states of the log that the delegate has, by name
         */
        default void runBeside(Map<String, StateMetadata> registered) {
            throw new UnsupportedOperationException("The task waits for the end of the replay");
        }

        /** Waits until the task waits for the end of the replay. */
        default void awaitBlocked() {
            throw new UnsupportedOperationException("The task waits for the end of the replay");
        }
    }

    DelegateSharing(Task task, Clock clock) {
        this.task = requireNonNull(task);
        this.clock = requireNonNull(clock);
    }

    /**
     * Notes that a state has been registered with the delegate.
     *
     * @return the applier for the changes of the state
     */
    ChangeApplier add(StateMetadata metadata, ChangeApplier applier) {
        if (use != Use.UNDECIDED) {
            return applier;
        }
        states.put(metadata.name(), new Bound(metadata, applier));
        return through(applier);
    }

    private ChangeApplier through(ChangeApplier applier) {
        return (op, keyGroup, ofLog, record) -> apply(applier, op, keyGroup, ofLog, record);
    }

    /** Call this when all known states of the log are registered. Only the first call counts. */
    void decide() {
        if (use != Use.UNDECIDED) {
            return;
        }
        if (task.mayRunBeside()
                && !states.isEmpty()
                && states.values().stream().allMatch(Bound::isBytes)
                && task.keepTheirSchemas(states.keySet())) {
            Map<String, StateMetadata> registered = new LinkedHashMap<>();
            states.forEach((name, state) -> registered.put(name, state.metadata));
            use = Use.SHARED;
            long begin = clock.relativeTimeNanos();
            try {
                task.runBeside(registered);
            } finally {
                waitedNanos += clock.relativeTimeNanos() - begin;
            }
        } else {
            use = Use.ALONE;
            task.readOn();
        }
    }

    /** Whether the task has used the delegate, and may have registered the states again. */
    boolean hasBegun() {
        return use == Use.SHARED || use == Use.ALONE_AGAIN;
    }

    /** Whether the task uses the delegate. */
    boolean isUnderWay() {
        return use == Use.SHARED;
    }

    /**
     * Finds a state that was registered before the task used the delegate. The task may have
     * registered it again meanwhile; its bytes stay as they are.
     *
     * @return empty for a state that was not registered then, or not with all the types that it has
     *     values of from here on
     * @throws IOException if the state goes on with another schema
     */
    Optional<ChangeApplier> find(StateMetadata metadata) throws IOException {
        Bound known = states.get(metadata.name());
        if (known == null) {
            return Optional.empty();
        }
        if (!SchemaFit.staysAsItIs(metadata, known.metadata)) {
            throw new IOException(
                    "state '"
                            + metadata.name()
                            + "' was logged with two schemas that do not go together. Restore with"
                            + " state.changelog.replay.background.enabled: false.");
        }
        if (SchemaFit.hasGrown(metadata, known.metadata)) {
            states.remove(metadata.name());
            return Optional.empty();
        }
        return Optional.of(through(known.applier));
    }

    /** Applies a change, after it is decided how the replay may use the delegate. */
    boolean apply(
            ChangeApplier applier,
            ChangeOp op,
            int keyGroup,
            KeyGroupRange ofLog,
            RecordInput record)
            throws Exception {
        decide();
        if (hasBegun()) {
            BulkAppliers.Applier inBulk = (BulkAppliers.Applier) applier;
            if (inBulk.needsFunction(op)) {
                // Not of our writers. It would wait for the function, which the task may have
                // registered already, and nobody would register it again.
                throw new IOException(
                        op
                                + " of a reducing or aggregating state can't be replayed while the"
                                + " task runs. Restore with"
                                + " state.changelog.replay.background.enabled: false.");
            }
            if (!inBulk.takes(op)) {
                awaitAlone();
            }
        }
        return applier.apply(op, keyGroup, ofLog, record);
    }

    /**
     * From now on, the replay uses the delegate alone, to its end, as it does more than write
     * bytes. Waits for that if the task uses the delegate.
     */
    void beAlone() {
        if (use == Use.UNDECIDED) {
            use = Use.ALONE;
        }
        awaitAlone();
    }

    /**
     * Waits until the replay has the delegate alone, to its end; does nothing if it already has.
     * Call it before a state is registered that the delegate does not have of the log, or not as
     * the log has it now.
     */
    void awaitAlone() {
        if (use != Use.SHARED) {
            return;
        }
        long begin = clock.relativeTimeNanos();
        task.awaitBlocked();
        use = Use.ALONE_AGAIN;
        waitedNanos += clock.relativeTimeNanos() - begin;
    }

    /** The nanoseconds that the replay waited until it might continue, or for the task to wait. */
    long waitedNanos() {
        return waitedNanos;
    }

    /** A state as the log described it first, and the applier of its changes. */
    private static final class Bound {
        final StateMetadata metadata;
        final ChangeApplier applier;

        Bound(StateMetadata metadata, ChangeApplier applier) {
            this.metadata = metadata;
            this.applier = applier;
        }

        /** Whether the changes are only bytes for RocksDB. */
        boolean isBytes() {
            return applier instanceof BulkAppliers.Applier;
        }
    }
}
