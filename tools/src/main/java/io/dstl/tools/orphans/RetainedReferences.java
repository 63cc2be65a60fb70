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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.flink.core.fs.Path;

/**
 * Which segments the retained checkpoints and savepoints refer to, and which checkpoint of each job
 * is the newest: what one reading of all metadata has shown.
 *
 * <p>Held in memory: about 200 bytes a segment.
 */
final class RetainedReferences {
    private final Set<SegmentName> segments = new HashSet<>();
    private final Set<String> jobs = new HashSet<>();
    private final Map<String, Long> newestByJob = new HashMap<>();
    private final Map<Path, Integer> readByDirectory = new LinkedHashMap<>();
    private Path directory = new Path("/");

    /** What is added from here on was found there. */
    void searched(Path searched) {
        directory = searched;
        readByDirectory.put(searched, 0);
    }

    /** Reads the file; nothing of it has been added if that fails. */
    void add(MetadataFile file) throws IOException {
        List<Path> references = new ArrayList<>();
        file.read(references::add);
        for (Path reference : references) {
            SegmentName.of(reference).ifPresent(this::add);
        }
        file.checkpointOf().ifPresent(job -> newestByJob.merge(job, file.writtenAt(), Math::max));
        readByDirectory.merge(directory, 1, Integer::sum);
    }

    private void add(SegmentName segment) {
        segments.add(segment);
        jobs.add(segment.job());
    }

    /** Whether there is a checkpoint of the job, or a reference to its log from any. */
    boolean knows(String job) {
        return newestByJob.containsKey(job) || jobs.contains(job);
    }

    boolean contains(SegmentName segment) {
        return segments.contains(segment);
    }

    /** When the newest retained checkpoint of a job was completed, in ms since the epoch. */
    OptionalLong newestCheckpoint(String job) {
        Long newest = newestByJob.get(job);
        return newest == null ? OptionalLong.empty() : OptionalLong.of(newest);
    }

    /** How many were read, by the directory or path they were looked for in. */
    Map<Path, Integer> readByDirectory() {
        return readByDirectory;
    }

    /** How many were read in a directory that was searched. */
    int readIn(Path searched) {
        return readByDirectory.get(searched);
    }

    /** How many segments are referred to. */
    int size() {
        return segments.size();
    }
}
