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

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Identifies one writer of one log: unique among all writers of the job that this TaskManager ever
 * has. A restarted task has another writer, with another id.
 */
public final class WriterId {

    private final String value;

    /**
     * @param value not empty; shown in logs and errors, so best made of the subtask's name
     */
    public WriterId(String value) {
        if (requireNonNull(value).isEmpty()) {
            throw new IllegalArgumentException("A writer id is not empty");
        }
        this.value = value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WriterId && ((WriterId) other).value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value;
    }

    /**
     * The open writers, each with the checkpoint since which it is a witness: its job has not been
     * restored from any later one.
     *
     * <p>That is the checkpoint that its task was restored from. A task that restores nothing may
     * be part of a job that does, so for it that is the one before the first that it has pinned. A
     * restore closes the writers of all tasks that it concerns, and a new leader restores all of
     * them: so while the writer is open, no task has been restored from a checkpoint that failed
     * after the writer was opened.
     *
     * <p>Guarded by the lock of the {@link SegmentRegistry}.
     */
    static final class OpenWriters {

        private final Map<WriterId, OptionalLong> witnessSince = new HashMap<>();

        void open(WriterId writer) {
            if (witnessSince.putIfAbsent(writer, OptionalLong.empty()) != null) {
                throw new IllegalStateException("Writer " + writer + " is open already");
            }
        }

        void close(WriterId writer) {
            check(writer);
            witnessSince.remove(writer);
        }

        void restored(WriterId writer, long checkpointId) {
            check(writer);
            witnessSince.put(writer, OptionalLong.of(checkpointId));
        }

        void pinned(CheckpointPin pin) {
            check(pin.writer());
            if (witnessSince.get(pin.writer()).isEmpty()) {
                witnessSince.put(pin.writer(), OptionalLong.of(pin.checkpointId() - 1));
            }
        }

        /**
         * Exclusive; the highest possible id if the writer is closed, or has neither pinned nor
         * restored.
         */
        long witnessSince(WriterId writer) {
            return witnessSince.getOrDefault(writer, OptionalLong.empty()).orElse(Long.MAX_VALUE);
        }

        private void check(WriterId writer) {
            if (!witnessSince.containsKey(writer)) {
                throw new IllegalStateException("Writer " + writer + " is not open");
            }
        }
    }
}
