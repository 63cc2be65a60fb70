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

import java.util.OptionalLong;

/**
 * The time of one writer between two checkpoints: from the highest one it was asked to persist to
 * the next.
 *
 * <p>A change set submitted during an epoch first appears in the handle of the checkpoint that ends
 * the epoch. So two change sets of one epoch first appear in the same checkpoint, even if they are
 * of different writers. Epochs are ordered by these checkpoints.
 */
public final class Epoch implements Comparable<Epoch> {

    private static final Epoch FIRST = new Epoch(OptionalLong.empty());

    private final OptionalLong checkpointId;

    private Epoch(OptionalLong checkpointId) {
        this.checkpointId = checkpointId;
    }

    /** The epoch before a writer's first checkpoint. */
    public static Epoch first() {
        return FIRST;
    }

    /** The epoch that a checkpoint begins, or this one if it is already later. */
    public Epoch after(long checkpoint) {
        return checkpointId.isPresent() && checkpointId.getAsLong() >= checkpoint
                ? this
                : new Epoch(OptionalLong.of(checkpoint));
    }

    /** The first epoch is before all others. */
    @Override
    public int compareTo(Epoch other) {
        return Long.compare(checkpointId.orElse(-1), other.checkpointId.orElse(-1));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Epoch && ((Epoch) other).checkpointId.equals(checkpointId);
    }

    @Override
    public int hashCode() {
        return checkpointId.hashCode();
    }

    @Override
    public String toString() {
        return checkpointId.isPresent()
                ? "epoch after checkpoint " + checkpointId.getAsLong()
                : "first epoch";
    }
}
