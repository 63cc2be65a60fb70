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
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.Path;

/**
 * What makes a file an orphan: no retained checkpoint or savepoint refers to it, and none will.
 *
 * <p>The second half is what takes care. A running job may have segments in its log that no
 * completed checkpoint lists yet, and that the next one will. But a checkpoint lists all of the log
 * that lies between its base and its barrier, and later ones begin at the same base or a later one:
 * so what was stored before a barrier, and isn't in that checkpoint, is in no later one. The
 * barrier of a checkpoint is at most its timeout before its metadata. Hence:
 *
 * <ul>
 *   <li>A segment is an orphan if it is older than its job's <i>newest retained checkpoint</i> by
 *       the minimum age, which is never less than the checkpoint timeout. However long a job
 *       completes no checkpoint, its log is safe.
 *   <li>A job that is known to have <i>ended</i> has no next checkpoint: its segments are orphans
 *       when they have the minimum age by the clock.
 *   <li>A job of which there is no checkpoint and no word is left alone: its checkpoints may be
 *       where nobody has told us to look.
 *   <li>So is, whatever its age, what was written by a cluster of which there is no checkpoint: two
 *       clusters that run a job of one id, on one base path, see each other's log, and each only
 *       its own checkpoints. Segments carry a {@link ClusterMark} that tells; state files are in
 *       that cluster's directory.
 * </ul>
 *
 * <p>The same goes for state files beside the checkpoints. What a checkpoint takes over from the
 * one before is referred to by both; the rest was written for it, within its timeout, or for a
 * materialization, which may take hours, while checkpoints complete without it. So the files of a
 * job that may run are orphans not before {@link #MATERIALIZATION}, however low the minimum age is;
 * for a materialization that takes longer it has to be higher.
 *
 * <p>The log of a job that is said to have ended may show that there were later checkpoints than
 * the newest one found, perhaps elsewhere. Then the rule of a job that may run holds for its files.
 */
final class OrphanRule {
    /** Time enough to upload the state of a task, and for a checkpoint that lists it. */
    static final Duration MATERIALIZATION = Duration.ofHours(24);

    private final Duration minAge;
    private final OperatorWord word;
    private final int retained;
    private final long now;

    /**
     * @param minAge not below the checkpoint timeout
     * @param retained how many checkpoints Flink retains of each job; 1 or more
     * @param now in ms since the epoch
     */
    OrphanRule(Duration minAge, OperatorWord word, int retained, long now) {
        this.minAge = minAge;
        this.word = word;
        this.retained = retained;
        this.now = now;
    }

    /** Checkpoints that Flink would have deleted long ago if their JobManager had not died. */
    List<Path> leftBehind(RetainedReferences references) {
        return references.beyond(retained, minAge.toMillis());
    }

    Verdict judge(StoredFile file, RetainedReferences references) {
        if (references.contains(file.name)) {
            return Verdict.REFERENCED;
        }
        if (isOfUnknownCluster(file, references)) {
            return Verdict.CLUSTER_UNKNOWN;
        }
        boolean ended = word.hasEnded(file.name.job(), file.cluster());
        OptionalLong until = ended ? OptionalLong.of(now) : references.newestCheckpoint(file);
        if (until.isEmpty()) {
            return Verdict.JOB_UNKNOWN;
        }
        return until.getAsLong() - file.writtenAt >= least(file, ended)
                ? Verdict.ORPHAN
                : Verdict.YOUNG;
    }

    /** By how much a file has to be older, in ms. */
    private long least(StoredFile file, boolean ended) {
        return ended || file.name.isSegment() || minAge.compareTo(MATERIALIZATION) > 0
                ? minAge.toMillis()
                : MATERIALIZATION.toMillis();
    }

    /**
     * Whether this segment shows that its job, which is said to have ended, went on after the
     * newest checkpoint found, so long that there probably was a later one.
     */
    boolean showsLaterCheckpoints(StoredFile file, RetainedReferences references) {
        OptionalLong newest = references.newestCheckpoint(file);
        return file.name.isSegment()
                && newest.isPresent()
                && file.writtenAt - newest.getAsLong() > leastEvidence()
                && word.hasEnded(file.name.job(), file.cluster())
                && !word.isWithoutCheckpoints(file.name.job(), file.cluster());
    }

    /** Whoever is more patient with files must not be content with less evidence. */
    private long leastEvidence() {
        return Math.min(minAge.toMillis(), MATERIALIZATION.toMillis());
    }

    /**
     * Whether a later checkpoint than the newest one found may need the file, which is an orphan
     * only as its job is said to have ended.
     */
    boolean mayBeOfLaterCheckpoints(StoredFile file, RetainedReferences references) {
        OptionalLong newest = references.newestCheckpoint(file);
        boolean isOlder =
                newest.isPresent() && newest.getAsLong() - file.writtenAt >= least(file, false);
        return !isOlder && !word.isWithoutCheckpoints(file.name.job(), file.cluster());
    }

    private boolean isOfUnknownCluster(StoredFile file, RetainedReferences references) {
        String job = file.name.job();
        OptionalInt mark = file.cluster();
        if (mark.isEmpty()
                || references.knowsCluster(job, mark.getAsInt())
                || word.isWithoutCheckpoints(job, mark)) {
            return false;
        }
        boolean ended = word.hasEnded(job, mark);
        return file.name.isSegment()
                ? references.hasCheckpoint(job) || ended
                : references.hasCheckpoint(job) && !ended;
    }

    /** What is to become of a file. */
    enum Verdict {
        /** A retained checkpoint or savepoint needs it. */
        REFERENCED,
        /** The next checkpoint may list it. */
        YOUNG,
        /** Nothing is known of its job's checkpoints. */
        JOB_UNKNOWN,
        /**
         * Nothing is known of the checkpoints that its job took later than the newest one found.
         */
        UNKNOWN_SINCE,
        /** Nothing is known of the checkpoints of the cluster that wrote it. */
        CLUSTER_UNKNOWN,
        /** Nobody needs it, or will. */
        ORPHAN
    }

    /**
     * What the operator says of jobs: which run nowhere any more, or, as {@code <job id>/<mark>},
     * not on one cluster of several; and where the checkpoints of a cluster are, if not in the
     * directory that its mark is made of.
     *
     * <p>Owns the rule that the word alone makes no orphans: of each such job a checkpoint has to
     * be found, or a second word that none was kept. Where there is neither, most likely the search
     * was in the wrong place. Immutable.
     */
    static final class OperatorWord {
        private static final Pattern OF_CLUSTER = Pattern.compile("/[0-9a-f]{8}$");

        private final Set<String> ended;
        private final Set<String> withoutCheckpoints;

        /** Directories of checkpoints by {@code <job id>/<mark>}. */
        private final Map<String, Path> moved;

        private OperatorWord(
                Set<String> ended, Set<String> withoutCheckpoints, Map<String, Path> moved) {
            this.moved = Collections.unmodifiableMap(moved);
            this.ended = Collections.unmodifiableSet(ended);
            this.withoutCheckpoints = Collections.unmodifiableSet(withoutCheckpoints);
        }

        /**
         * @param ended ids of jobs, or {@code <job id>/<mark>}
         * @param withoutCheckpoints those of them of which no checkpoint was kept
         * @param moved {@code <job id>/<mark>=<directory>}
         * @throws CommandFailure at what is no job id, and at a job without checkpoints that isn't
         *     among the ended
         */
        static OperatorWord of(
                List<String> ended, List<String> withoutCheckpoints, List<String> moved)
                throws CommandFailure {
            checkIds("--ended", ended);
            checkIds("--no-checkpoints-of", withoutCheckpoints);
            for (String job : withoutCheckpoints) {
                if (!ended.contains(job) && !ended.contains(ofAllClusters(job))) {
                    throw CommandFailure.usage(
                            "--no-checkpoints-of is "
                                    + job
                                    + ", which --ended does not name. If the job runs nowhere any more"
                                    + " give --ended "
                                    + job
                                    + " as well, else leave it out");
                }
            }
            Map<String, Path> directories = new TreeMap<>();
            for (String text : moved) {
                int equals = text.indexOf('=');
                String cluster = equals < 0 ? text : text.substring(0, equals);
                if (equals < 0
                        || !OF_CLUSTER.matcher(cluster).find()
                        || !MetadataFile.isJob(ofAllClusters(cluster))) {
                    throw CommandFailure.usage(
                            "--moved is '"
                                    + Redacted.text(text)
                                    + "': write JOB_ID/MARK=DIR, as in the line that asks for it");
                }
                Path directory = OrphanSettings.path("--moved", text.substring(equals + 1));
                if (directories.put(cluster, directory) != null) {
                    throw CommandFailure.usage(
                            "--moved names two directories for " + cluster + ": give one");
                }
            }
            return new OperatorWord(
                    new TreeSet<>(ended), new TreeSet<>(withoutCheckpoints), directories);
        }

        private static String ofAllClusters(String job) {
            return OF_CLUSTER.matcher(job).replaceAll("");
        }

        private static void checkIds(String option, List<String> jobs) throws CommandFailure {
            for (String job : jobs) {
                if (!MetadataFile.isJob(ofAllClusters(job))) {
                    throw CommandFailure.usage(
                            option
                                    + " is '"
                                    + Redacted.text(job)
                                    + "', no job id: write its 32 hexadecimal digits, as Flink does");
                }
            }
        }

        /** Whether all of a job's log is to go, or what the cluster of that mark wrote of it. */
        boolean isWithoutCheckpoints(String job, OptionalInt mark) {
            return contains(withoutCheckpoints, job, mark);
        }

        /** Whether the job runs no more on the cluster of that mark, or on all if there is none. */
        boolean hasEnded(String job, OptionalInt mark) {
            return contains(ended, job, mark);
        }

        private static boolean contains(Set<String> named, String job, OptionalInt mark) {
            return named.contains(job)
                    || (mark.isPresent()
                            && named.contains(job + "/" + ClusterMark.show(mark.getAsInt())));
        }

        private boolean isWithoutCheckpoints(String job) {
            return withoutCheckpoints.contains(job)
                    || withoutCheckpoints.contains(ofAllClusters(job));
        }

        /**
         * Says where checkpoints have moved, and checks that there are some of each job.
         *
         * @throws CommandFailure at a job of which nothing was found, although some is expected, or
         *     where no chk-&lt;n&gt; was found at all, and a job is said to have none
         */
        void applyTo(RetainedReferences references) throws CommandFailure {
            for (Map.Entry<String, Path> cluster : moved.entrySet()) {
                if (!references.moved(cluster.getKey(), ClusterMark.of(cluster.getValue()))) {
                    throw CommandFailure.stopped(
                            "No checkpoint of job "
                                    + ofAllClusters(cluster.getKey())
                                    + " was found in "
                                    + Redacted.of(cluster.getValue())
                                    + ", which --moved names. Give the directory that has some,"
                                    + " also by --checkpoints if the configuration does not name"
                                    + " it",
                            null);
                }
            }
            for (String job : ended) {
                if (!isWithoutCheckpoints(job) && !references.knows(job)) {
                    throw CommandFailure.stopped(
                            "No checkpoint of job "
                                    + job
                                    + " was found in "
                                    + directories(references)
                                    + ": with --ended its whole log would be orphans. Name the"
                                    + " directory that has its checkpoints, --checkpoints DIR; if none"
                                    + " of them was kept, say so: --no-checkpoints-of "
                                    + job,
                            null);
                }
            }
            if (!withoutCheckpoints.isEmpty() && !references.hasCheckpoints()) {
                throw CommandFailure.stopped(
                        "No checkpoint of any job was found in "
                                + directories(references)
                                + ": with --no-checkpoints-of, what is found is all that keeps"
                                + " segments which another job has taken over, or that another"
                                + " cluster writes. Name the directory of such a job's"
                                + " checkpoints, --checkpoints DIR. If no job runs on any cluster"
                                + " with this base path, and none has a checkpoint, delete the"
                                + " directory JOB_ID/dstl below the base path by hand",
                        null);
            }
        }

        private static String directories(RetainedReferences references) {
            return references.readByDirectory().keySet().stream()
                    .map(path -> Redacted.of(path).toString())
                    .collect(Collectors.joining(", "));
        }
    }
}
