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
package io.dstl.fs;

import io.dstl.fs.segment.SegmentName;
import io.dstl.store.NanoClock;
import io.dstl.store.SegmentDirectory.SegmentNames;
import io.dstl.store.WallClock;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** The system's clocks, randomness and names, for injection; nothing else here asks the system. */
final class SystemSource implements NanoClock, SegmentNames, WallClock, DoubleSupplier {

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public String next() {
        return SegmentName.indexed(UUID.randomUUID());
    }

    /** Random: from 0 (inclusive) to 1 (exclusive). */
    @Override
    public double getAsDouble() {
        return ThreadLocalRandom.current().nextDouble();
    }
}
