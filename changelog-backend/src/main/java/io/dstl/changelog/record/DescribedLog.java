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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataOutputView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the metadata of a state to the log before the state's changes: once in each round, and
 * again after the state was registered anew.
 *
 * <p>Takes the metadata when it is written, as a serializer's snapshot may grow with the types it
 * has met. A snapshot that has grown since is written again before its change set is sealed. One
 * that can't grow is already written with the first change of any state.
 */
abstract class DescribedLog {
    private static final Logger LOG = LoggerFactory.getLogger(DescribedLog.class);
    private static final long NEVER = 0;

    private final ChangeRecorder<?> recorder;
    private final StateId id;
    private final String stateName;
    private final Supplier<StateMetadata> metadata;
    private long describedInRound = NEVER;

    /** The schema that was written last; null if it can't grow. */
    @Nullable private byte[] growing;

    /**
     * @param metadata taken each time a METADATA record is due
     */
    DescribedLog(
            ChangeRecorder<?> recorder,
            StateId id,
            String stateName,
            Supplier<StateMetadata> metadata) {
        this.recorder = recorder;
        this.id = id;
        this.stateName = stateName;
        this.metadata = metadata;
    }

    public final StateId id() {
        return id;
    }

    public final String stateName() {
        return stateName;
    }

    /** Declares a change lost: the delegate may have changed in part, which no record can tell. */
    public final void lose(Throwable cause) {
        recorder.abandon(stateName, cause);
    }

    /** The state was registered again: its metadata is due before its next change. */
    public final void redescribe() {
        describedInRound = NEVER;
    }

    /**
     * Opens the record of a change, after the state's description if that is due. The caller
     * continues with the scope.
     *
     * @throws IllegalStateException if an earlier change was lost
     */
    final DataOutputView begin(int keyGroup, ChangeOp op) throws IOException {
        describeOncePerRound();
        recorder.checkComplete();
        DataOutputView out = recorder.appender().beginChange(keyGroup);
        out.writeByte(op.code());
        out.writeShort(id.value());
        return out;
    }

    private void describeOncePerRound() throws IOException {
        long round = recorder.round();
        if (describedInRound != round) {
            StateMetadata now = metadata.get();
            recorder.describe(now);
            growing = now.isFixed() ? null : now.schema();
            describedInRound = round;
            recorder.announceOthers();
        }
    }

    /**
     * Writes what {@link #describeOncePerRound} would, if that is due and would write the same
     * later. The state's own change repeats a failure.
     */
    final void announce() {
        if (describedInRound == recorder.round()) {
            return;
        }
        try {
            StateMetadata now = metadata.get();
            if (now.isFixed()) {
                recorder.announce(now);
                growing = null;
                describedInRound = recorder.round();
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("The state of id {} is described with its own change", id.value(), e);
        }
    }

    /** Describes the state again if its schema has grown since it was described in this round. */
    final void describeGrown() {
        if (growing == null || describedInRound != recorder.round()) {
            return;
        }
        try {
            StateMetadata now = metadata.get();
            byte[] schema = now.schema();
            if (!Arrays.equals(schema, growing)) {
                recorder.describe(now);
                // One that is another each time has not grown.
                growing = Arrays.equals(schema, metadata.get().schema()) ? schema : null;
            }
        } catch (IOException e) {
            lose(e);
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            lose(e);
            throw e;
        }
    }
}
