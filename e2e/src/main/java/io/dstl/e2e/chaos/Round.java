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
package io.dstl.e2e.chaos;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Faults that overlap, and what the operator does after them or, where only the store is at fault,
 * during them. Immutable.
 */
final class Round {
    private final int number;
    private final Duration pause;
    private final List<PlannedFault> faults;
    private final Operation operation;
    private final int parallelism;

    /**
     * @param number from 1
     * @param pause before it
     * @param parallelism of a rescale
     */
    Round(
            int number,
            Duration pause,
            List<PlannedFault> faults,
            Operation operation,
            int parallelism) {
        this.number = number;
        this.pause = pause;
        this.faults = List.copyOf(faults);
        this.operation = operation;
        this.parallelism = parallelism;
    }

    int number() {
        return number;
    }

    Duration pause() {
        return pause;
    }

    List<PlannedFault> faults() {
        return faults;
    }

    Operation operation() {
        return operation;
    }

    int parallelism() {
        return parallelism;
    }

    /** Whether nothing is at fault but the object store: then no task may fail. */
    boolean storageAlone() {
        return faults.stream().allMatch(fault -> fault.kind().storage());
    }

    @Override
    public String toString() {
        return "round "
                + number
                + ": "
                + faults.stream().map(PlannedFault::toString).collect(Collectors.joining("; "))
                + (operation == Operation.NONE ? "" : "; " + operation)
                + (isRescale() ? " to " + parallelism : "");
    }

    boolean isRescale() {
        return operation == Operation.RESCALE_CLAIM || operation == Operation.RESCALE_NO_CLAIM;
    }
}
