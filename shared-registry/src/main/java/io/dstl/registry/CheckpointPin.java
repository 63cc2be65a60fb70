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
package io.dstl.registry;

import static java.util.Objects.requireNonNull;

import java.util.Objects;

/** Identifies the part of one writer in one checkpoint. */
public final class CheckpointPin {

    private final WriterId writer;
    private final long checkpointId;

    /**
     * @param checkpointId Flink's id; not negative
     */
    public CheckpointPin(WriterId writer, long checkpointId) {
        if (checkpointId < 0) {
            throw new IllegalArgumentException("A checkpoint id is not negative: " + checkpointId);
        }
        this.writer = requireNonNull(writer);
        this.checkpointId = checkpointId;
    }

    public WriterId writer() {
        return writer;
    }

    public long checkpointId() {
        return checkpointId;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CheckpointPin
                && ((CheckpointPin) other).checkpointId == checkpointId
                && ((CheckpointPin) other).writer.equals(writer);
    }

    @Override
    public int hashCode() {
        return Objects.hash(writer, checkpointId);
    }

    @Override
    public String toString() {
        return "checkpoint " + checkpointId + " of " + writer;
    }
}
