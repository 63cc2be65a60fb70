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

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.state.RecordInput;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the logs of a restore say of their states at their beginnings. A checkpoint has several logs
 * if the task was restarted since the last materialization, or its parallelism changed: one of each
 * writer. From one to the next, the schema of a state may change.
 *
 * <p>Reads only the metadata of each log's first change set. Used by one thread; any other may
 * close it, which ends its reading.
 */
public final class LogBeginnings implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LogBeginnings.class);

    /** Reading more takes longer than the task saves. */
    private static final int MAX_LOGS = 16;

    private final String operator;
    private final List<LoggedChangeSet> firsts;
    private final LogSource source;
    private final ClassLoader userClassLoader;
    private final CloseableRegistry reading = new CloseableRegistry();

    /** Those that all logs begin with; none yet. */
    private Set<String> agreed = Set.of();

    /**
     * Reads nothing yet.
     *
     * @param operator whose logs they are
     * @param handles in the order of their replay, all {@link BackgroundReplay#suits suited}
     * @param source used by the thread that calls {@link #agree}
     * @param userClassLoader knows the classes of the user's serializers
     * @param cancellation closed when the task is cancelled
     * @throws CancelTaskException if the task is cancelled
     */
    public LogBeginnings(
            String operator,
            Collection<ChangelogStateBackendHandle> handles,
            LogSource source,
            ClassLoader userClassLoader,
            CloseableRegistry cancellation) {
        try {
            cancellation.registerCloseable(reading);
        } catch (IOException e) {
            throw Cancellation.exception(e);
        }
        this.operator = operator;
        this.source = source;
        this.userClassLoader = userClassLoader;
        this.firsts =
                logs(handles).stream()
                        .flatMap(log -> metadataOf(log).stream().limit(1))
                        .collect(Collectors.toList());
    }

    /** Whether there are so few logs that it pays to read their beginnings. */
    static boolean areFew(Collection<ChangelogStateBackendHandle> handles) {
        return logs(handles).size() <= MAX_LOGS;
    }

    static List<ChangelogStateHandle> logs(Collection<ChangelogStateBackendHandle> handles) {
        return handles.stream()
                .flatMap(handle -> handle.getNonMaterializedStateHandles().stream())
                .collect(Collectors.toList());
    }

    private static List<LoggedChangeSet> metadataOf(ChangelogStateHandle log) {
        return LoggedChangeSet.of(log, KeyGroupRange.EMPTY_KEY_GROUP_RANGE);
    }

    /**
     * Whether each log is of this backend, and begins with a description of all states that the
     * first one begins with, with the same schema. Reads nothing if there is only one log. A
     * beginning that can't be read does not agree: its replay fails later, and tells more.
     *
     * @throws CancelTaskException if this is closed
     */
    boolean agree() {
        try {
            return areOfOne() || areSame();
        } catch (IOException | RuntimeException e) {
            Cancellation.of(reading).check(e);
            LOG.info(
                    "{} runs only once its logs are replayed: whether they go on with the same"
                            + " states could not be read",
                    operator,
                    e);
            return false;
        }
    }

    /**
     * Whether no log changes the schema of these states, which were read until now. Of several logs
     * it is known only for states that they begin with.
     */
    boolean haveAgreedOn(Set<String> states) {
        return areOfOne() || agreed.containsAll(states);
    }

    private boolean areOfOne() {
        return firsts.size() <= 1;
    }

    private boolean areSame() throws IOException {
        List<LogSource.Part> parts =
                firsts.stream().map(LoggedChangeSet::part).collect(Collectors.toList());
        try (LogSource.Ahead ignored = source.announce(parts)) {
            Map<String, StateMetadata> states = new HashMap<>();
            for (LoggedChangeSet first : firsts) {
                Map<String, StateMetadata> later = new HashMap<>();
                if (!readStates(first, later)) {
                    LOG.info(
                            "{} runs only once its logs are replayed: {} was written by another"
                                    + " backend",
                            operator,
                            first);
                    return false;
                }
                if (first == firsts.get(0)) {
                    states = later;
                }
                for (StateMetadata state : states.values()) {
                    StateMetadata same = later.get(state.name());
                    if (same == null || !same.hasSchemaOf(state)) {
                        LOG.info(
                                "{} runs only once its logs are replayed: {} does not begin with"
                                        + " state '{}' as the first log has it",
                                operator,
                                first,
                                state.name());
                        return false;
                    }
                }
            }
            agreed = states.keySet();
            return true;
        }
    }

    /** Returns whether its changes may be used as they are. */
    private boolean readStates(LoggedChangeSet first, Map<String, StateMetadata> states)
            throws IOException {
        RecordInput record = new RecordInput();
        try (ChangeCursor changes = ChangeCursor.open(first, source, reading)) {
            if (!changes.isTrusted()) {
                return false;
            }
            while (changes.next()) {
                StateChange change = changes.current();
                record.open(change.getChange());
                if (ChangeOp.byCode(record.readByte()) == ChangeOp.METADATA) {
                    StateMetadata metadata = StateMetadata.read(record, userClassLoader);
                    states.put(metadata.name(), metadata);
                }
            }
        }
        return true;
    }

    /** Ends what {@link #agree} reads. Does not wait for it. */
    @Override
    public void close() throws IOException {
        reading.close();
    }
}
