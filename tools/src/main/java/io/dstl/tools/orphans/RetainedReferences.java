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

import io.dstl.fs.segment.ClusterMark;
import io.dstl.tools.checkpoint.CheckpointWalk;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.core.fs.Path;

/**
 * Which files the retained checkpoints and savepoints refer to, which checkpoint of each job is the
 * newest, and who has written: what one reading of all metadata has shown.
 *
 * <p>Held in memory: about 200 bytes a file.
 */
final class RetainedReferences {
    private final Set<StoredName> files = new HashSet<>();

    /** By job and the mark of its cluster. */
    private final Map<String, Map<Integer, Long>> newest = new HashMap<>();

    /** The checkpoints of a job in one directory, by {@code chk-<n>}: when each was completed. */
    private final Map<Path, Map<Path, Long>> checkpoints = new LinkedHashMap<>();

    private final Set<Path> jobDirectories = new LinkedHashSet<>();
    private long segments;
    private final Map<Path, Integer> readByDirectory = new LinkedHashMap<>();
    private Path directory = new Path("/");
    private boolean hasCheckpoints;

    /** What is added from here on was found there. */
    void searched(Path searched) {
        directory = searched;
        readByDirectory.put(searched, 0);
    }

    /** Reads the file; nothing of it has been added if that fails. */
    void add(MetadataFile file) throws IOException {
        List<Path> references = new ArrayList<>();
        CheckpointWalk.walk(file.read(), reference -> reference.file().ifPresent(references::add));
        for (Path reference : references) {
            StoredName.of(reference).ifPresent(this::add);
        }
        hasCheckpoints |= MetadataFile.isCheckpoint(file.path().getParent().getName());
        file.checkpointOf().ifPresent(job -> checkpoint(job, file));
        readByDirectory.merge(directory, 1, Integer::sum);
    }

    private void add(StoredName file) {
        if (files.add(file) && file.isSegment()) {
            segments++;
        }
    }

    private void checkpoint(String job, MetadataFile file) {
        Path itsDirectory = file.path().getParent();
        checkpoints
                .computeIfAbsent(itsDirectory.getParent(), any -> new LinkedHashMap<>())
                .put(itsDirectory, file.writtenAt());
        for (Path spelled : Arrays.asList(file.path(), file.listedAs())) {
            // The parent of <job id>/chk-<n>/_metadata is what the cluster has as its directory.
            int mark = ClusterMark.of(spelled.getParent().getParent().getParent());
            newest.computeIfAbsent(job, any -> new HashMap<>())
                    .merge(mark, file.writtenAt(), Math::max);
        }
    }

    /**
     * What this cluster has written goes by the checkpoints of another mark, its own having moved.
     *
     * @param cluster {@code <job id>/<mark>}
     * @return false if there are none of the other mark
     */
    boolean moved(String cluster, int to) {
        String job = cluster.substring(0, cluster.indexOf('/'));
        Map<Integer, Long> byMark = newest.getOrDefault(job, Collections.emptyMap());
        if (!byMark.containsKey(to)) {
            return false;
        }
        byMark.merge(markOf(cluster), byMark.get(to), Math::max);
        return true;
    }

    /** A directory that is named by a job's id was seen among those that have checkpoints. */
    void jobDirectory(Path jobDirectory) {
        jobDirectories.add(jobDirectory);
    }

    Set<Path> jobDirectories() {
        return jobDirectories;
    }

    /** Whether a checkpoint was found of a cluster that puts this mark on the job's segments. */
    boolean knowsCluster(String job, int mark) {
        return newest.getOrDefault(job, Collections.emptyMap()).containsKey(mark);
    }

    /** As {@code <job id>/<mark>}: the clusters of which checkpoints of the job were found. */
    List<String> clusters(String job) {
        return newest.getOrDefault(job, Collections.emptyMap()).keySet().stream()
                .map(mark -> job + "/" + ClusterMark.show(mark))
                .sorted()
                .collect(Collectors.toList());
    }

    boolean hasCheckpoint(String job) {
        return newest.containsKey(job);
    }

    /**
     * Whether there is a checkpoint of the job. Another job's that refers to its log is none: it
     * says nothing of what the job's own ones need.
     *
     * @param job its id, or {@code <job id>/<mark>}
     */
    boolean knows(String job) {
        int slash = job.indexOf('/');
        return slash < 0 ? hasCheckpoint(job) : knowsCluster(job.substring(0, slash), markOf(job));
    }

    /**
     * @param cluster {@code <job id>/<mark>}
     */
    private static int markOf(String cluster) {
        return Integer.parseUnsignedInt(cluster.substring(cluster.indexOf('/') + 1), 16);
    }

    boolean contains(StoredName file) {
        return files.contains(file);
    }

    /**
     * When the newest retained checkpoint was completed of the job and the cluster that wrote the
     * file, in ms since the epoch. Where a segment does not tell which of several that is, the one
     * whose newest is the oldest: the others' say nothing of its log.
     */
    OptionalLong newestCheckpoint(StoredFile file) {
        Map<Integer, Long> byMark = newest.getOrDefault(file.name.job(), Collections.emptyMap());
        OptionalInt mark = file.cluster();
        if (mark.isPresent()) {
            Long ofCluster = byMark.get(mark.getAsInt());
            return ofCluster == null ? OptionalLong.empty() : OptionalLong.of(ofCluster);
        }
        return byMark.values().stream().mapToLong(Long::longValue).min();
    }

    /** How many were read, by the directory or path they were looked for in. */
    Map<Path, Integer> readByDirectory() {
        return readByDirectory;
    }

    /**
     * Whether any checkpoint was read, of whatever job; savepoints say nothing of a running job.
     */
    boolean hasCheckpoints() {
        return hasCheckpoints;
    }

    /** How many were read in a directory that was searched. */
    int readIn(Path searched) {
        return readByDirectory.get(searched);
    }

    /**
     * The {@code chk-<n>} of a job in one directory that are older than as many as it retains: left
     * by a JobManager that died, or kept by hand. Younger ones may be superseded just now.
     *
     * @param retained {@code execution.checkpointing.num-retained}
     * @param minAge how much older than the newest they are, at least, in ms; more than 0
     */
    List<Path> beyond(int retained, long minAge) {
        return checkpoints.values().stream()
                .flatMap(ofJob -> beyond(ofJob, retained, minAge))
                .collect(Collectors.toList());
    }

    private static Stream<Path> beyond(Map<Path, Long> ofJob, int retained, long minAge) {
        long newest = Collections.max(ofJob.values());
        return ofJob.entrySet().stream()
                .sorted(Map.Entry.<Path, Long>comparingByValue().reversed())
                .skip(retained)
                .filter(checkpoint -> newest - checkpoint.getValue() >= minAge)
                .map(Map.Entry::getKey);
    }

    /** How many segments are referred to. */
    long segments() {
        return segments;
    }
}
