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
package io.dstl.harness.wait;

import io.dstl.harness.wait.Await.Time;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;

/** Time that passes only when somebody pauses. For one thread. */
public final class ManualTime implements Time {
    private long nanos;

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public Clock clock() {
        return Clock.fixed(Instant.EPOCH.plusNanos(nanos), ZoneOffset.UTC);
    }

    @Override
    public void pause(Duration duration) {
        nanos += duration.toNanos();
    }
}
