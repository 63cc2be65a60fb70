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
 * How fast the tasks of a process have replayed their logs: each task for itself, beside those that
 * were restored at the same time. Each replay counts by its bytes, and the last gigabyte for as
 * much as all before it.
 *
 * <p>Of a small log the replay is mostly what each takes once, whatever its size, such as to open
 * files, and to start in a JVM that has just started. So it says nothing of the rate; neither does
 * one that is too short for a clock that counts milliseconds.
 *
 * <p>Thread-safe.
 */
public final class ReplayRate {

    private static final long WINDOW = 1L << 30;
    private static final long LEAST_BYTES = 1L << 20;
    private static final Duration LEAST_TIME = Duration.ofMillis(10);

    @GuardedBy("this")
    private double bytes;

    @GuardedBy("this")
    private double seconds;

    private final long leastBytes;

    /** Logs below 1 MB say nothing. */
    public ReplayRate() {
        this(LEAST_BYTES);
    }

    /**
     * @param leastBytes of a log that says something
     */
    public ReplayRate(long leastBytes) {
        this.leastBytes = leastBytes;
    }

    /**
     * @param replayed bytes as they are stored
     * @param took from the first change set to the last, fetching included
     */
    public synchronized void add(long replayed, Duration took) {
        if (replayed < leastBytes || took.compareTo(LEAST_TIME) < 0) {
            return;
        }
        bytes += replayed;
        seconds += took.toNanos() / 1e9;
        if (bytes > 2.0 * WINDOW) {
            seconds *= WINDOW / bytes;
            bytes = WINDOW;
        }
    }

    /** Empty before the first log that was large enough. */
    public synchronized OptionalDouble bytesPerSecond() {
        return bytes > 0 && seconds > 0
                ? OptionalDouble.of(bytes / seconds)
                : OptionalDouble.empty();
    }
}
