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
import java.util.Locale;

/** One fault of a schedule. Immutable. */
final class PlannedFault {
    private final FaultKind kind;
    private final Duration offset;
    private final Duration length;
    private final int choice;

    /**
     * @param offset since the begin of its round
     * @param length until it is over: the process is started again, the store well
     * @param choice from 0 to 99: which process it hits, or how hard
     */
    PlannedFault(FaultKind kind, Duration offset, Duration length, int choice) {
        this.kind = kind;
        this.offset = offset;
        this.length = length;
        this.choice = choice;
    }

    FaultKind kind() {
        return kind;
    }

    Duration offset() {
        return offset;
    }

    Duration length() {
        return length;
    }

    Duration end() {
        return offset.plus(length);
    }

    int choice() {
        return choice;
    }

    /** From 0.2 to 1: of what is hit. */
    double share() {
        return 0.2 + 0.8 * choice / 99;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s at %.1f s for %.1f s (%d)",
                kind,
                offset.toMillis() / 1000.0,
                length.toMillis() / 1000.0,
                choice);
    }
}
