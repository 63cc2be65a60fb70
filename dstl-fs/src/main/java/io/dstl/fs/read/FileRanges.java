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
package io.dstl.fs.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.segment.FileRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The parts of a file that are there. Any thread. */
final class FileRanges {

    /** Start to end; neither overlapping nor touching each other. */
    @GuardedBy("this")
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    synchronized boolean isEmpty() {
        return ends.isEmpty();
    }

    synchronized void add(FileRange added) {
        long start = added.start();
        long end = added.end();
        Map.Entry<Long, Long> touching = ends.floorEntry(end);
        while (touching != null && touching.getValue() >= start) {
            start = Math.min(start, touching.getKey());
            end = Math.max(end, touching.getValue());
            ends.remove(touching.getKey());
            touching = ends.floorEntry(end);
        }
        if (start < end) {
            ends.put(start, end);
        }
    }

    synchronized boolean contains(FileRange range) {
        Map.Entry<Long, Long> before = ends.floorEntry(range.start());
        return range.bytes() == 0 || (before != null && before.getValue() >= range.end());
    }

    /**
     * What of the wanted parts is not there, in order. Parts that are as close to each other as the
     * gap become one: asking once for more is quicker than asking twice.
     *
     * @param gap in bytes
     */
    synchronized List<FileRange> missing(Collection<FileRange> wanted, long gap) {
        List<FileRange> absent = new ArrayList<>();
        wanted.forEach(range -> addAbsent(range, absent));
        absent.sort(Comparator.comparingLong(FileRange::start));
        List<FileRange> joined = new ArrayList<>();
        for (FileRange range : absent) {
            int last = joined.size() - 1;
            if (last >= 0 && range.start() - joined.get(last).end() <= gap) {
                long end = Math.max(joined.get(last).end(), range.end());
                joined.set(last, new FileRange(joined.get(last).start(), end));
            } else {
                joined.add(range);
            }
        }
        return joined;
    }

    @GuardedBy("this")
    private void addAbsent(FileRange range, List<FileRange> absent) {
        long at = range.start();
        Map.Entry<Long, Long> before = ends.floorEntry(at);
        if (before != null) {
            at = Math.max(at, before.getValue());
        }
        while (at < range.end()) {
            Map.Entry<Long, Long> next = ends.ceilingEntry(at);
            long end = next == null ? range.end() : Math.min(range.end(), next.getKey());
            if (at < end) {
                absent.add(new FileRange(at, end));
            }
            at = next == null ? range.end() : next.getValue();
        }
    }
}
