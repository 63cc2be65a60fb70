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
package io.dstl.changelog.record;

import io.dstl.fs.log.ChangeAppender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.state.InternalKeyContext;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * The shared part of the logs of one keyed backend's states: the appender, the serialized current
 * key, the state ids, the round of the log, and the failure if a change was lost.
 *
 * <p>Writes the metadata of the states. {@link StateLog} and {@link QueueLog} write their changes.
 *
 * <p><b>Rounds.</b> A materialization truncates the log before it, and with it the metadata of the
 * states. So {@link #startNewRound()} makes each state write its metadata again before its next
 * change. The first change of a round also brings the metadata of the other states, as far as it
 * will be the same later. So the first change set of a log also names the states that change late
 * or not at all in it, and a restored task may register them before the log is read to its end. If
 * no state changes again, nothing is written.
 *
 * <p><b>Growth.</b> A serializer's snapshot may grow with the types it meets, as Flink's for POJOs
 * does with subclasses. So a state is described again, in the change set that has the first values
 * of such a type: a restore needs its schema to read them, if the job's new version has changed it.
 *
 * <p><b>Failure.</b> The delegate is changed first and the log second, so a change that cannot be
 * written leaves the delegate ahead of the log. A user function could catch that failure and go on
 * to a checkpoint that restores another state. So from then on each change and {@link
 * #checkComplete()} throw, until the task restarts from its last checkpoint.
 *
 * <p>The task thread only.
 *
 * @param <K> type of the keys
 */
public final class ChangeRecorder<K> {
    private final ChangeAppender appender;
    private final InternalKeyContext<K> keyContext;
    private final TypeSerializer<K> keySerializer;
    private final LogSerializer.CachedBytes<K> currentKey = new LogSerializer.CachedBytes<>();
    private final LogSerializer<K> pastKeys = new LogSerializer<>();
    private final List<DescribedLog> announced = new ArrayList<>();
    private long announcedInRound;
    private int nextId;
    private long round = 1;
    private final Counter serialized = new SimpleCounter();
    @Nullable private Throwable failure;
    @Nullable private String failedState;

    public ChangeRecorder(
            ChangeAppender appender,
            InternalKeyContext<K> keyContext,
            TypeSerializer<K> keySerializer) {
        this.appender = appender;
        this.keyContext = keyContext;
        this.keySerializer = keySerializer;
        appender.beforeSeal(this::describeGrown);
    }

    /** Call it whenever the delegate is about to switch, or has switched, to another key. */
    public void keyChanged() {
        currentKey.invalidate();
    }

    /** Call it when a materialization begins: see the class comment. */
    public void startNewRound() {
        round++;
    }

    /**
     * The next free id.
     *
     * @throws IllegalStateException if all ids are taken
     */
    public StateId allocateId(String stateName) {
        if (nextId > Short.MAX_VALUE) {
            throw new IllegalStateException(
                    "No id is left for state '"
                            + stateName
                            + "': the log tells at most "
                            + (Short.MAX_VALUE + 1)
                            + " states of one operator apart. Use fewer states, for instance one"
                            + " map state in place of many states with generated names.");
        }
        return StateId.of((short) nextId++);
    }

    /**
     * Checks that the log is complete. Call it before the log is taken into a checkpoint.
     *
     * @throws IllegalStateException if a change is in the delegate and not in the log
     */
    public void checkComplete() {
        if (failure != null) {
            throw new IllegalStateException(
                    "State '"
                            + failedState
                            + "' was changed but the change could not be logged, so a checkpoint"
                            + " would restore another state. Restart the task from its last"
                            + " checkpoint; the cause says what to repair.",
                    failure);
        }
    }

    /**
     * The number of changes whose data was serialized for the log, as the delegate's bytes were not
     * available. The task thread counts; any thread may read.
     */
    public Counter serialized() {
        return serialized;
    }

    void serializing() {
        serialized.inc();
    }

    /** The key group of any key of the backend, current or not. */
    public int keyGroupOf(Object key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, keyContext.getNumberOfKeyGroups());
    }

    /** The key groups of this backend. */
    public KeyGroupRange keyGroups() {
        return keyContext.getKeyGroupRange();
    }

    ChangeAppender appender() {
        return appender;
    }

    long round() {
        return round;
    }

    InternalKeyContext<K> keyContext() {
        return keyContext;
    }

    void writeCurrentKey(DataOutputView out) throws IOException {
        currentKey.writeTo(out, keyContext.getCurrentKey(), keySerializer);
    }

    void writeKey(K key, DataOutputView out) throws IOException {
        if (key == keyContext.getCurrentKey()) {
            writeCurrentKey(out);
        } else {
            pastKeys.of(keySerializer).serialize(key, out);
        }
    }

    /** Adds a state to describe with the first change of any state. It is never removed. */
    void announced(DescribedLog state) {
        announced.add(state);
    }

    /** Describes the other states, once per round, after one state was described. */
    void announceOthers() {
        if (announcedInRound != round) {
            announcedInRound = round;
            announced.forEach(DescribedLog::announce);
        }
    }

    private void describeGrown() {
        if (failure == null) {
            announced.forEach(DescribedLog::describeGrown);
        }
    }

    /** Writes a whole METADATA record, or none: a failure loses no change. */
    void announce(StateMetadata metadata) throws IOException {
        try {
            metadata.write(appender.beginMetadata());
            appender.endRecord();
        } catch (Throwable t) {
            appender.dropRecord();
            throw t;
        }
    }

    /** Writes a whole METADATA record. */
    void describe(StateMetadata metadata) throws IOException {
        checkComplete();
        try {
            announce(metadata);
        } catch (Throwable t) {
            abandon(metadata.name(), t);
            throw t;
        }
    }

    /** Drops the open record, if any. The log has lost its change. */
    void abandon(String stateName, Throwable cause) {
        appender.dropRecord();
        if (failure == null) {
            failure = cause;
            failedState = stateName;
        }
    }
}
