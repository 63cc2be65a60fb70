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
package io.dstl.tools.inspect;

import java.util.Arrays;
import java.util.Locale;

/** When things were written: oldest, median and newest. 8 bytes for each. One thread at a time. */
final class Ages {
    private long[] writtenAt = new long[16];
    private int count;

    /**
     * @param time in ms since the epoch
     */
    void add(long time) {
        if (count == writtenAt.length) {
            writtenAt = Arrays.copyOf(writtenAt, 2 * count);
        }
        writtenAt[count++] = time;
    }

    /** In ms at that time; of none 0. */
    long oldest(long now) {
        return age(0, now);
    }

    /** In ms at that time; of none 0. */
    long median(long now) {
        return age(count / 2, now);
    }

    /** In ms at that time; of none 0. */
    long newest(long now) {
        return age(count - 1, now);
    }

    private long age(int rank, long now) {
        if (count == 0) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(writtenAt, count);
        Arrays.sort(sorted);
        return now - sorted[rank];
    }

    /** As in 3 d 4 h, 4 h 5 min, 5 min 6 s, 7.8 s. */
    static String text(long millis) {
        long seconds = Math.max(0, millis) / 1000;
        if (seconds < 60) {
            return String.format(Locale.ROOT, "%.1f s", Math.max(0, millis) / 1000.0);
        }
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        if (seconds < 86_400) {
            return seconds / 3600 + " h " + seconds / 60 % 60 + " min";
        }
        return seconds / 86_400 + " d " + seconds / 3600 % 24 + " h";
    }
}
