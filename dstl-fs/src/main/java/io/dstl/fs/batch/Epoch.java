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
package io.dstl.fs.batch;

/**
 * The time of one writer between two checkpoints: from the highest one it was asked to persist to
 * the next.
 *
 * <p>A change set submitted during an epoch first appears in the handle of the checkpoint that ends
 * the epoch. So two change sets of one epoch first appear in the same checkpoint, even if they are
 * of different writers. Epochs are ordered by these checkpoints.
 */
public final class Epoch implements Comparable<Epoch> {

    /** Checkpoints count from 0 at the lowest. */
    private static final Epoch FIRST = new Epoch(-1);

    private final long checkpointId;

    private Epoch(long checkpointId) {
        this.checkpointId = checkpointId;
    }

    /** The epoch before a writer's first checkpoint. */
    public static Epoch first() {
        return FIRST;
    }

    /** The epoch that a checkpoint begins, or this one if it is already later. */
    public Epoch after(long checkpoint) {
        return checkpointId >= checkpoint ? this : new Epoch(checkpoint);
    }

    /** The first epoch is before all others. */
    @Override
    public int compareTo(Epoch other) {
        return Long.compare(checkpointId, other.checkpointId);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Epoch && ((Epoch) other).checkpointId == checkpointId;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(checkpointId);
    }

    @Override
    public String toString() {
        return equals(FIRST) ? "first epoch" : "epoch after checkpoint " + checkpointId;
    }
}
