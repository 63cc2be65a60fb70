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
package io.dstl.changelog.bulk;

import org.apache.flink.util.clock.Clock;

/** Counts what one partition did. Of one thread; read by others once that has ended. */
public final class BulkTally {
    private final Clock clock;

    private long taken;
    private long survived;
    private long tables;
    private long sortNanos;
    private long writeNanos;

    BulkTally(Clock clock) {
        this.clock = clock;
    }

    long now() {
        return clock.relativeTimeNanos();
    }

    void taken() {
        taken++;
    }

    void survived() {
        survived++;
    }

    /** A table was sorted, from then until now. */
    void sorted(long begin) {
        sortNanos += now() - begin;
    }

    /** A table was written, from then until now. */
    void wrote(long begin) {
        tables++;
        writeNanos += now() - begin;
    }

    void add(BulkTally other) {
        taken += other.taken;
        survived += other.survived;
        tables += other.tables;
        sortNanos += other.sortNanos;
        writeNanos += other.writeNanos;
    }

    /** Both together. */
    public BulkTally plus(BulkTally other) {
        BulkTally sum = new BulkTally(clock);
        sum.add(this);
        sum.add(other);
        return sum;
    }

    /** Changes that were taken, void ones included. */
    public long changes() {
        return taken;
    }

    /** Keys written to the delegate. */
    public long survivors() {
        return survived;
    }

    /** How often a table was written. */
    public long tables() {
        return tables;
    }

    public long sortMillis() {
        return sortNanos / 1_000_000;
    }

    public long writeMillis() {
        return writeNanos / 1_000_000;
    }
}
