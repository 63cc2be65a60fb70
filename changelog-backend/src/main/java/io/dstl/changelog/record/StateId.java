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

import org.apache.flink.util.Preconditions;

/**
 * Names a state in the records of one writer, in two bytes instead of its name.
 *
 * <p>Ids run from 0 to {@link Short#MAX_VALUE}, both inclusive. A METADATA record binds one to a
 * state; a later METADATA record may bind it to another.
 */
public final class StateId {
    private final short value;

    private StateId(short value) {
        this.value = value;
    }

    /**
     * @throws IllegalArgumentException if the value is negative
     */
    public static StateId of(short value) {
        Preconditions.checkArgument(
                value >= 0, "State id %s: expected 0 to %s.", value, Short.MAX_VALUE);
        return new StateId(value);
    }

    public short value() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StateId && ((StateId) other).value == value;
    }

    @Override
    public int hashCode() {
        return value;
    }

    @Override
    public String toString() {
        return Short.toString(value);
    }
}
