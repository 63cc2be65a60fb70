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

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkState;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.RecordInput;
import java.io.IOException;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Applies the changes of a state in bulk: only the last one of each key reaches the delegate,
 * later, as the bytes that it is in the log.
 *
 * <p>A change that can be applied only to what is in the delegate, or that the state never logs,
 * ends that: from then on all changes of the state go through the state itself.
 *
 * <p>Of the keys, which most serializers need not read for anything else, some are: were another
 * key serializer the job's now, most would be of other key groups. The first of each key group in a
 * set is among them.
 */
final class BulkApplier implements ChangeApplier {
    private static final int CHANGES_PER_CHECK = 16;

    private final String name;
    private final BulkReplay bulk;
    private final BulkState state;
    private final KeyCheck keys;
    private final ChangeApplier throughState;

    /** Reads the key of a change, and leaves the record as it was. */
    interface KeyCheck {

        /**
         * @throws org.apache.flink.util.StateMigrationException if the key can't be read, or is not
         *     of the key group
         */
        void check(ChangeOp op, int keyGroup, RecordInput record) throws Exception;
    }

    private boolean ended;
    private int lastKeyGroup = -1;
    private int unchecked;

    BulkApplier(
            String name,
            BulkReplay bulk,
            BulkState state,
            KeyCheck keys,
            ChangeApplier throughState) {
        this.name = name;
        this.bulk = bulk;
        this.state = state;
        this.keys = keys;
        this.throughState = throughState;
    }

    @Override
    public boolean apply(ChangeOp op, int keyGroup, KeyGroupRange keyGroups, RecordInput record)
            throws Exception {
        if (!keyGroups.contains(keyGroup)) {
            return false;
        }
        if (!ended && !state.takes(op)) {
            end(op);
        }
        if (ended || bulk.isPaused()) {
            return throughState.apply(op, keyGroup, keyGroups, record);
        }
        unchecked++;
        if (keyGroup != lastKeyGroup || unchecked == CHANGES_PER_CHECK) {
            keys.check(op, keyGroup, record);
            lastKeyGroup = keyGroup;
            unchecked = 0;
        }
        bulk.add(state, op, keyGroup, record.bytes());
        record.skipToEnd();
        return true;
    }

    /** Whether such a change needs no more of the delegate than that bytes are written to it. */
    boolean takes(ChangeOp op) {
        return !ended && !bulk.isPaused() && state.takes(op);
    }

    RawState raw() {
        return state.raw();
    }

    private void end(ChangeOp op) throws IOException {
        bulk.write();
        end("its log has " + op);
    }

    /** From now on all changes go through the state. What was added is to be written before. */
    void end(String reason) {
        bulk.leaveOut(name, reason);
        ended = true;
    }
}
