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
import io.dstl.secret.Redacted;
import io.dstl.tools.cli.CommandFailure;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The jobs that run nowhere any more, by the operator's word.
 *
 * <p>Owns the rule that the word alone makes no orphans: of each such job a checkpoint or a
 * reference to its log has to be found, or a second word that there is none. Where there is
 * neither, most likely the search was in the wrong place. Immutable.
 */
final class EndedJobs {
    private static final Pattern OF_CLUSTER = Pattern.compile("/[0-9a-f]{8}$");

    private final Set<String> ended;
    private final Set<String> withoutCheckpoints;

    private EndedJobs(Set<String> ended, Set<String> withoutCheckpoints) {
        this.ended = Collections.unmodifiableSet(ended);
        this.withoutCheckpoints = Collections.unmodifiableSet(withoutCheckpoints);
    }

    /**
     * @param ended ids of jobs
     * @param withoutCheckpoints those of them of which no checkpoint was kept, and {@code <job
     *     id>/<mark>} for one cluster of several
     * @throws CommandFailure at what is no job id, and at a job without checkpoints that isn't
     *     among the ended
     */
    static EndedJobs of(List<String> ended, List<String> withoutCheckpoints) throws CommandFailure {
        checkIds("--ended", ended);
        checkIds(
                "--no-checkpoints-of",
                withoutCheckpoints.stream()
                        .map(text -> OF_CLUSTER.matcher(text).replaceAll(""))
                        .collect(Collectors.toList()));
        for (String job : withoutCheckpoints) {
            if (!OF_CLUSTER.matcher(job).find() && !ended.contains(job)) {
                throw CommandFailure.usage(
                        "--no-checkpoints-of is "
                                + job
                                + ", which --ended does not name. If the job runs nowhere any more"
                                + " give --ended "
                                + job
                                + " as well, else leave it out");
            }
        }
        return new EndedJobs(new TreeSet<>(ended), new TreeSet<>(withoutCheckpoints));
    }

    private static void checkIds(String option, List<String> jobs) throws CommandFailure {
        for (String job : jobs) {
            if (!StoredName.isJob(job)) {
                throw CommandFailure.usage(
                        option
                                + " is '"
                                + Redacted.text(job)
                                + "', no job id: write its 32 hexadecimal digits, as Flink does");
            }
        }
    }

    /** Whether all of a job's log is to go, or what the cluster of that mark wrote of it. */
    boolean isWithoutCheckpoints(String job, int mark) {
        return withoutCheckpoints.contains(job)
                || withoutCheckpoints.contains(job + "/" + ClusterMark.show(mark));
    }

    boolean contains(String job) {
        return ended.contains(job);
    }

    /**
     * @throws CommandFailure at a job of which nothing was found, although some is expected
     */
    void check(RetainedReferences references) throws CommandFailure {
        for (String job : ended) {
            if (!withoutCheckpoints.contains(job) && !references.knows(job)) {
                throw CommandFailure.stopped(
                        "No checkpoint of job "
                                + job
                                + ", and no reference to its log, was found in "
                                + references.readByDirectory().keySet().stream()
                                        .map(path -> Redacted.of(path).toString())
                                        .collect(Collectors.joining(", "))
                                + ": with --ended its whole log would be orphans. Name the"
                                + " directory that has its checkpoints, --checkpoints DIR; if none"
                                + " of them was kept, say so: --no-checkpoints-of "
                                + job,
                        null);
            }
        }
    }
}
