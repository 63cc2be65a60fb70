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

import io.dstl.fs.read.UncachedSource;
import io.dstl.fs.segment.ClusterMark;
import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.apache.flink.core.fs.FileStatus;

/**
 * Goes through the segments under a base path, one directory after the other, with one request for
 * each segment, several at a time.
 *
 * <p><b>Memory</b>: the list of one directory, as the store gives it; the age of each segment; the
 * facts of the largest ones.
 */
final class BasePathInspection {
    /** In the name of a segment of a cluster that has no directory of checkpoints of its own. */
    private static final String NO_MARK = "-";

    private final InspectSettings settings;
    private final Redaction redaction;
    private final UncachedSource source = new UncachedSource(new FileSystemOpener());
    private final Map<String, WriterFindings> writers = new TreeMap<>();
    private final PriorityQueue<SegmentFacts> largest =
            new PriorityQueue<>(Comparator.comparingLong(SegmentFacts::bytes));
    private final Damages damages;
    private int unreachable;

    BasePathInspection(InspectSettings settings, Redaction redaction) {
        this.settings = settings;
        this.redaction = redaction;
        this.damages = new Damages(settings.top());
    }

    /** The segments of one job that the TaskManagers of one cluster wrote. */
    static final class WriterFindings {
        final String job;

        /** In hexadecimal, or a dash. */
        final String mark;

        final Ages ages = new Ages();
        long segments;
        long bytes;
        long indexed;
        long compressed;
        long damaged;
        long sets;
        long contentBytes;

        WriterFindings(String job, String mark) {
            this.job = job;
            this.mark = mark;
        }

        private void add(SegmentFacts facts) {
            segments++;
            bytes += facts.bytes();
            ages.add(facts.writtenAt());
            indexed += facts.isIndexed() ? 1 : 0;
            compressed += facts.isCompressed() ? 1 : 0;
            damaged += facts.damage().isEmpty() ? 0 : 1;
            sets += facts.sets();
            contentBytes += facts.contentBytes();
        }
    }

    /** By job, then by cluster. */
    Collection<WriterFindings> writers() {
        return writers.values();
    }

    /** The largest first. */
    List<SegmentFacts> largest() {
        return Rows.largest(largest, SegmentFacts::bytes);
    }

    Damages damages() {
        return damages;
    }

    /** What was found until it throws stays. */
    void run(List<InspectTarget.LogDirectory> directories, Progress progress) throws Exception {
        try (ParallelWork work = new ParallelWork("inspect", settings.threads(), progress)) {
            int number = 0;
            for (InspectTarget.LogDirectory directory : directories) {
                FileStatus[] segments = segments(directory);
                number++;
                progress.begin(
                        "Read: %,d of %,d segments in directory "
                                + number
                                + " of "
                                + directories.size(),
                        segments.length,
                        0);
                work.forEach(
                        Arrays.asList(segments).iterator(),
                        file -> SegmentFacts.of(file, source, redaction),
                        (file, facts) -> {
                            progress.done(0);
                            if (facts.isPresent()) {
                                take(directory.job(), facts.get());
                            }
                        });
            }
        }
    }

    private static FileStatus[] segments(InspectTarget.LogDirectory directory) throws IOException {
        return Directory.list(directory.path()).stream()
                .filter(file -> !file.isDir())
                .filter(file -> InspectTarget.isSegmentName(file.getPath().getName()))
                .toArray(FileStatus[]::new);
    }

    private void take(String job, SegmentFacts facts) throws CommandFailure {
        String mark = markOf(facts.path().getName());
        writers.computeIfAbsent(job + mark, any -> new WriterFindings(job, mark)).add(facts);
        if (!facts.damage().isEmpty()) {
            damages.add(Redacted.of(facts.path()).toString(), facts::damage);
        }
        unreachable += facts.isUnreachable() ? 1 : 0;
        if (unreachable == Damages.MOST_UNREACHABLE) {
            throw Damages.unreachable(facts.path(), facts.damage());
        }
        largest.add(facts);
        if (largest.size() > settings.top()) {
            largest.remove();
        }
    }

    private static String markOf(String name) {
        var mark = ClusterMark.in(name);
        return mark.isPresent() ? ClusterMark.show(mark.getAsInt()) : NO_MARK;
    }
}
