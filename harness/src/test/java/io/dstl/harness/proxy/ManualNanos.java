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
package io.dstl.harness.proxy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A time that stands still until it is told to go on, and knows how often it was asked. */
final class ManualNanos implements LongSupplier {
    private final AtomicLong now = new AtomicLong(-1_000_000_000L);
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public long getAsLong() {
        asked.incrementAndGet();
        return now.get();
    }

    void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    int asked() {
        return asked.get();
    }
}
