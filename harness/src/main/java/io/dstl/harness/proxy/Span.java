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
import java.time.Instant;

/** A stretch of time: from its start, inclusive, to its end, exclusive. */
public final class Span {
    private final Instant start;
    private final Duration length;

    public Span(Instant start, Duration length) {
        this.start = start;
        this.length = length;
    }

    public static Span between(Instant start, Instant end) {
        return new Span(start, Duration.between(start, end));
    }

    public Instant start() {
        return start;
    }

    public Instant end() {
        return start.plus(length);
    }

    public Duration length() {
        return length;
    }

    public boolean contains(Instant moment) {
        return !moment.isBefore(start) && moment.isBefore(end());
    }
}
