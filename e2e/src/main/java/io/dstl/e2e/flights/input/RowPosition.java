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
package io.dstl.e2e.flights.input;

import java.util.Objects;

/** A row of the repeated file: how many repetitions and then how many rows come before it. */
public final class RowPosition implements Comparable<RowPosition> {
    public static final RowPosition START = new RowPosition(0, 0);

    private final int repetition;
    private final long row;

    public RowPosition(int repetition, long row) {
        if (repetition < 0 || row < 0) {
            throw new IllegalArgumentException(
                    "no row " + row + " of repetition " + repetition + "; both count from 0");
        }
        this.repetition = repetition;
        this.row = row;
    }

    public int repetition() {
        return repetition;
    }

    public long row() {
        return row;
    }

    RowPosition nextRow() {
        return new RowPosition(repetition, row + 1);
    }

    RowPosition nextRepetition() {
        return new RowPosition(repetition + 1, 0);
    }

    @Override
    public int compareTo(RowPosition other) {
        int byRepetition = Integer.compare(repetition, other.repetition);
        return byRepetition != 0 ? byRepetition : Long.compare(row, other.row);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof RowPosition && compareTo((RowPosition) o) == 0;
    }

    @Override
    public int hashCode() {
        return Objects.hash(repetition, row);
    }

    @Override
    public String toString() {
        return "row " + row + " of repetition " + repetition;
    }
}
