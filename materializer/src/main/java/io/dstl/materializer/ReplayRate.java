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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * Measures how fast the tasks of a process replay their logs, each task beside those restored at
 * the same time: the bytes of all replays by their time. The last gigabyte weighs as much as all
 * before it.
 *
 * <p>A replay that waits for a store in trouble says nothing of the next one. So of one that takes
 * more than four times as long as expected, only so much time counts, unless it says more than all
 * before it: a machine that is slower for good is believed step by step.
 *
 * <p>The replay of a small log is mostly fixed cost, such as opening files and starting in a cold
 * JVM. So small logs do not count, and neither do replays that are too short for a clock with
 * milliseconds.
 *
 * <p>Thread-safe.
 */
public final class ReplayRate {

    private static final long WINDOW = 1L << 30;
    private static final long LEAST_BYTES = 1L << 20;
    private static final Duration LEAST_TIME = Duration.ofMillis(10);
    private static final double MOST_TIMES_LONGER = 4;

    @GuardedBy("this")
    private double bytes;

    @GuardedBy("this")
    private double seconds;

    private final long leastBytes;

    /** Ignores logs below 1 MB. */
    public ReplayRate() {
        this(LEAST_BYTES);
    }

    /**
     * @param leastBytes smaller logs do not count
     */
    public ReplayRate(long leastBytes) {
        this.leastBytes = leastBytes;
    }

    /**
     * @param replayed bytes of the changes, without compression
     * @param took from the first change set to the last, fetching included
     */
    public synchronized void add(long replayed, Duration took) {
        if (replayed < leastBytes || took.compareTo(LEAST_TIME) < 0) {
            return;
        }
        double time = took.toNanos() / 1e9;
        if (bytes >= replayed) {
            time = Math.min(time, MOST_TIMES_LONGER * replayed * seconds / bytes);
        }
        seconds += time;
        bytes += replayed;
        if (bytes > 2.0 * WINDOW) {
            seconds *= WINDOW / bytes;
            bytes = WINDOW;
        }
    }

    /** Empty before the first log that counts. */
    public synchronized OptionalDouble bytesPerSecond() {
        return bytes > 0 && seconds > 0
                ? OptionalDouble.of(bytes / seconds)
                : OptionalDouble.empty();
    }
}
