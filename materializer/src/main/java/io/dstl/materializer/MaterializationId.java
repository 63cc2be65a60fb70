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
package io.dstl.materializer;

/**
 * Names one materialization of one keyed state backend. Grows by one with each attempt and never
 * falls back, over restores as well: it takes the place of the checkpoint id towards the delegate.
 */
public final class MaterializationId implements Comparable<MaterializationId> {

    private final long value;

    /**
     * @param value not negative; 0 stands for "nothing materialized yet" in a checkpoint's metadata
     */
    public MaterializationId(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("A materialization id is not negative: " + value);
        }
        this.value = value;
    }

    public long value() {
        return value;
    }

    public MaterializationId next() {
        return new MaterializationId(Math.addExact(value, 1));
    }

    @Override
    public int compareTo(MaterializationId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MaterializationId && ((MaterializationId) other).value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
