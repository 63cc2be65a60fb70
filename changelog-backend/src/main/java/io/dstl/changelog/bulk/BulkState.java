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
package io.dstl.changelog.bulk;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.record.ChangeOp;
import java.util.stream.Stream;

/** A state that is replayed in bulk, from one registration with the delegate to the next. */
public final class BulkState {
    /** An entry of a table holds the number of its state in two bytes. */
    static final int MAX_NUMBER = (1 << (ChangeTable.STATE_BYTES * Byte.SIZE)) - 1;

    private final int number;
    private RawState raw;

    /** One for each partition; empty before the first change. */
    private ChangeFold[] folds = {};

    /**
     * @param number unique in a restore, from 0 to {@link #MAX_NUMBER}
     */
    BulkState(int number, RawState raw) {
        this.number = number;
        this.raw = requireNonNull(raw);
    }

    boolean hasFolds() {
        return folds.length > 0;
    }

    /**
     * Call it once, before the first change, on the thread that adds the changes.
     *
     * @param partitions all there are
     */
    void makeFolds(Stream<ReplayPartition> partitions) {
        folds = partitions.map(partition -> partition.newFold(this)).toArray(ChangeFold[]::new);
    }

    int number() {
        return number;
    }

    /** The fold of one partition, used by that partition's thread. */
    ChangeFold fold(int partition) {
        return folds[partition];
    }

    public RawState raw() {
        return raw;
    }

    /**
     * Sets how the delegate keeps the state, with the same keys. Call it before any write of it.
     */
    public void settle(RawState ofDelegate) {
        raw = requireNonNull(ofDelegate);
    }

    /**
     * Whether the bulk replay takes such a change. It takes no merge of namespaces, which reads. A
     * change that the state never logs goes to the replay through the state, which fails.
     */
    public boolean takes(ChangeOp op) {
        return raw.form().takes(op);
    }
}
