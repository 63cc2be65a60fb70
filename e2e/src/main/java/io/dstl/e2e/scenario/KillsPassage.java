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
package io.dstl.e2e.scenario;

import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import io.dstl.harness.rest.JobSubmission.JobId;
import io.dstl.harness.store.Bucket;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The job runs with the changelog on while its TaskManagers are killed, one after the other; then
 * it is cancelled, {@code java -jar dstl-changelog.jar orphans} cleans up, and the job is restored
 * from each checkpoint that is retained.
 */
public final class KillsPassage {
    private static final ClusterPlan CLUSTER = ClusterPlan.kills();
    private static final String LABEL = "kills";

    /** The folder of the segments. */
    private static final String LOG = "changelog";

    private static final int CHECKPOINTS_BETWEEN = 2;

    /** As many as the cluster keeps: so there is none from before the last kill. */
    private static final int RETAINED = 3;

    /** The checkpoint timeout of the cluster: the least that the command takes. */
    private static final Duration MIN_AGE = Duration.ofSeconds(20);

    private final Stage stage;
    private final LocalCluster cluster;
    private final FlightsRun run;
    private final Bucket bucket;

    private KillsPassage(Stage stage, LocalCluster cluster, FlightsRun run, Bucket bucket) {
        this.stage = stage;
        this.cluster = cluster;
        this.run = run;
        this.bucket = bucket;
    }

    /** Starts the cluster that the passage takes place on; it stays up afterwards. */
    static KillsPassage on(Stage stage, Bucket bucket) throws Exception {
        LocalCluster cluster = stage.start(CLUSTER, LABEL);
        return new KillsPassage(
                stage,
                cluster,
                new FlightsRun(stage.plan, cluster, stage.plan.directory().resolve("result-kills")),
                bucket);
    }

    KillsOutcome run(int kills) throws Exception {
        JobWatch watch = watch(run.submit());
        for (int kill = 1; kill <= kills; kill++) {
            kill(watch, kill);
        }
        watch.awaitShare(0, watch.checkpoints().completed + RETAINED);
        watch.cancelAndRetain();
        awaitMinAge();
        BucketAudit before = BucketAudit.of(bucket, CLUSTER.root);
        clean(watch.job());
        check(before.retained());
        Set<String> after = BucketAudit.of(bucket, CLUSTER.root).stored(LOG);
        for (String checkpoint : before.retained()) {
            restore(checkpoint);
        }
        return new KillsOutcome(
                kills,
                before.stored(LOG).size(),
                after,
                before.named(LOG),
                before.retained().size());
    }

    private void kill(JobWatch watch, int number) throws Exception {
        CheckpointStatistics before =
                watch.awaitShare(0, watch.checkpoints().completed + CHECKPOINTS_BETWEEN);
        // Else all tasks might be on another one, and nothing would be restored.
        cluster.awaitUp(FlightsCluster.TASK_MANAGERS);
        ServerProcess victim = cluster.taskManagers().get(0);
        cluster.kill(victim);
        cluster.startTaskManager();
        CheckpointStatistics after = watch.awaitRestored(before.restored);
        stage.progress()
                .say(
                        "SIGKILL "
                                + number
                                + " of "
                                + victim.name()
                                + ": restored from checkpoint "
                                + after.restoredFrom.orElseThrow());
    }

    /** By then the processes have also done what they still do after the job's end. */
    private void awaitMinAge() throws Exception {
        Instant oldEnough = stage.clock().instant().plus(MIN_AGE).plusSeconds(1);
        stage.await()
                .until(
                        "the last segments to have the minimum age",
                        MIN_AGE.multipliedBy(2),
                        () ->
                                stage.clock().instant().isBefore(oldEnough)
                                        ? Optional.empty()
                                        : Optional.of(oldEnough));
    }

    private void clean(JobId ended) throws Exception {
        String minAge = MIN_AGE.toSeconds() + " s";
        say("orphans", "--min-age", minAge);
        say("orphans", "--min-age", minAge, "--ended", ended.toString(), "--delete");
    }

    /** Each command ends with an exit code of its own where it finds damage: that fails the run. */
    private void check(Set<String> retained) throws Exception {
        for (String checkpoint : retained) {
            say("verify", checkpoint);
            say("inspect", checkpoint);
        }
    }

    private void say(String... command) throws Exception {
        stage.progress()
                .say("$ dstl " + String.join(" ", command) + "\n" + cluster.runTool(command));
    }

    private void restore(String checkpoint) throws Exception {
        JobWatch watch =
                watch(run.resume(checkpoint, stage.plan.parallelism(), ClaimMode.NO_CLAIM));
        CheckpointStatistics restored = watch.awaitRestored(0);
        watch.cancelAndRetain();
        stage.progress()
                .say(
                        "restored from "
                                + checkpoint
                                + ", next checkpoint "
                                + restored.latest.orElseThrow().id);
    }

    private JobWatch watch(JobId job) {
        return new JobWatch(stage, cluster, job, LABEL, FlightCount.NONE);
    }

    /** What is left in the bucket after the kills and the clean-up. Immutable. */
    public static final class KillsOutcome {
        private final int kills;
        private final int segmentsBefore;
        private final Set<String> segments;
        private final Set<String> named;
        private final int restored;

        /**
         * @param segmentsBefore how many there were before the clean-up
         * @param segments those in the bucket after it
         * @param named those that the retained checkpoints name
         * @param restored how many retained checkpoints the job was restored from: all of them
         */
        KillsOutcome(
                int kills,
                int segmentsBefore,
                Set<String> segments,
                Set<String> named,
                int restored) {
            this.kills = kills;
            this.segmentsBefore = segmentsBefore;
            this.segments = Set.copyOf(segments);
            this.named = Set.copyOf(named);
            this.restored = restored;
        }

        /** Whether the bucket holds exactly what the retained checkpoints refer to. */
        public boolean isClean() {
            return segments.equals(named);
        }

        /** Segments that were nobody's. */
        public int orphans() {
            return segmentsBefore - segments.size();
        }

        /** How many checkpoints were retained, and the job restored from. */
        public int restored() {
            return restored;
        }

        /** Segments in the bucket that no retained checkpoint names. */
        public Set<String> leftOver() {
            Set<String> left = new TreeSet<>(segments);
            left.removeAll(named);
            return left;
        }

        /** Segments that a retained checkpoint names and that are gone. */
        public Set<String> missing() {
            Set<String> missing = new TreeSet<>(named);
            missing.removeAll(segments);
            return missing;
        }

        /** In one line. */
        public String summary() {
            return String.format(
                    Locale.ROOT,
                    "%d kills: %d segments, of them %d orphans deleted; %d left, %d referred to by %d"
                            + " retained checkpoints, %d left over, %d missing; restored from each",
                    kills,
                    segmentsBefore,
                    orphans(),
                    segments.size(),
                    named.size(),
                    restored,
                    leftOver().size(),
                    missing().size());
        }
    }
}
