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

/**
 * Names one writer of one log: unique among all writers that this TaskManager ever has for the job.
 * A restarted task has another writer, with another id.
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

    public String value() {
        return value;
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
}
