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
package io.dstl.store.s3;

import io.dstl.store.WallClock;
import java.time.Duration;
import java.time.Instant;

/**
 * The time of day, corrected by that of the store once the store has refused a request for the time
 * at which it was signed. Credentials end by the same time.
 *
 * <p>Thread-safe.
 */
final class StoreClock implements WallClock {

    private final WallClock machine;
    private volatile Duration offset = Duration.ZERO;

    StoreClock(WallClock machine) {
        this.machine = machine;
    }

    @Override
    public Instant now() {
        return machine.now().plus(offset);
    }

    /** How far the machine's clock was found to be behind; negative if ahead. */
    Duration offset() {
        return offset;
    }

    /** How far the machine's clock is behind the store's now. */
    Duration behind(Instant store) {
        return Duration.between(machine.now(), store);
    }

    void correct(Duration behind) {
        offset = behind;
    }
}
