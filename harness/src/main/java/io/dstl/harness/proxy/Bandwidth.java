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

/**
 * How fast the store sends what it is asked for: the bytes per second of one connection, as an
 * object store has a limit for. Immutable.
 */
public final class Bandwidth {
    private static final double NANOS = 1e9;
    private static final Bandwidth UNLIMITED = new Bandwidth(0);

    private final long bytesPerSecond;

    private Bandwidth(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** As fast as it can. */
    public static Bandwidth unlimited() {
        return UNLIMITED;
    }

    public static Bandwidth of(long bytesPerSecond) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "a bandwidth is " + bytesPerSecond + " B/s: give 1 or more");
        }
        return new Bandwidth(bytesPerSecond);
    }

    boolean isLimited() {
        return bytesPerSecond > 0;
    }

    @Override
    public String toString() {
        return isLimited() ? bytesPerSecond / 1e6 + " MB/s at most for each answer" : "not limited";
    }

    /** How long such a part of an answer takes, at least. */
    Duration timeOf(int bytes) {
        return isLimited()
                ? Duration.ofNanos((long) (bytes * NANOS / bytesPerSecond))
                : Duration.ZERO;
    }
}
