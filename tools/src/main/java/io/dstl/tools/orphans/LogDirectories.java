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
package io.dstl.tools.orphans;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/**
 * The directories of the log: {@code <base>/<job id>/dstl}, one of each job.
 *
 * <p>Looks at nothing else below the base path, so that nothing else can be taken for a segment.
 */
final class LogDirectories {
    private final List<Path> bases;

    /**
     * @param bases where the log is: one directory, or many where names carry entropy
     */
    LogDirectories(List<Path> bases) {
        this.bases = bases;
    }

    /** Takes the segments of one directory after the other; never those of two at a time. */
    interface Visitor {
        void visit(String job, List<StoredSegment> segments) throws Exception;
    }

    void visit(Visitor visitor) throws Exception {
        for (Path base : bases) {
            for (FileStatus entry : Directory.list(base)) {
                String job = entry.getPath().getName();
                if (entry.isDir() && SegmentName.isJob(job)) {
                    visitor.visit(job, segments(new Path(entry.getPath(), SegmentName.DIRECTORY)));
                }
            }
        }
    }

    private static List<StoredSegment> segments(Path directory) throws IOException {
        List<StoredSegment> segments = new ArrayList<>();
        for (FileStatus file : Directory.list(directory)) {
            if (!file.isDir()) {
                SegmentName.of(file.getPath())
                        .ifPresent(name -> segments.add(new StoredSegment(name, file)));
            }
        }
        return segments;
    }
}
