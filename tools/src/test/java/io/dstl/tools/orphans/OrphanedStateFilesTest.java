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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.junit.jupiter.api.Test;

/** What the command finds and leaves of the state files beside a job's checkpoints. */
class OrphanedStateFilesTest extends OrphansCommandFixture {

    /** A directory of state files holds no checkpoint, and listing it can take minutes. */
    @Test
    void looksForNoCheckpointAmongTheStateFilesOfAJob() throws IOException {
        Path shared = store.checkpoints().resolve(JOB).resolve("shared");
        Files.write(Store.metadata(shared, NOW), new byte[1]);
        assertThat(run("--state-files")).isZero();
    }

    /** With one directory for both, as {@code dstl.dfs.base-path} may be that of checkpoints. */
    @Test
    void looksForNoCheckpointInTheLogOfAJob() throws IOException {
        Path log = store.checkpoints().resolve(JOB).resolve("dstl");
        Files.write(Store.metadata(log, NOW), new byte[1]);
        assertThat(run()).isZero();
    }

    /** As a JobManager leaves it that took over from another: it deletes nothing of before. */
    @Test
    void findsStateFilesThatNoCheckpointRefersTo() throws IOException {
        for (String directory : List.of("shared", "taskowned", "chk-3")) {
            store.stateFile(JOB, directory, "state-orphan", OLD);
            store.stateFile(JOB, directory, "state-young", NOW - HOUR);
        }
        store.stateFile(JOB, "elsewhere", "state-of-others", OLD);
        Store.metadata(
                store.checkpoints().resolve(JOB).resolve("chk-8"),
                NOW,
                store.materialized(JOB, 8, OLD));
        store.stateFile(JOB, "chk-8", "of-a-checkpoint", OLD);
        assertThat(run("--delete")).isZero();
        assertThat(store.stateFiles(JOB, "shared")).hasSize(3);

        assertThat(run("--state-files", "--delete")).isZero();
        assertThat(store.stateFiles(JOB, "shared")).containsExactlyInAnyOrder("sst", "state-young");
        assertThat(store.stateFiles(JOB, "taskowned"))
                .containsExactlyInAnyOrder("own", "meta", "state-young");
        assertThat(store.stateFiles(JOB, "chk-3")).containsExactly("state-young");
        assertThat(store.stateFiles(JOB, "chk-8")).contains("of-a-checkpoint");
        assertThat(store.stateFiles(JOB, "elsewhere")).hasSize(1);
        assertThat(out.toString()).containsPattern(JOB + " state files +3 / 30 +3 / 30");
    }

    /** Its files are listed when all of them are stored; checkpoints complete meanwhile. */
    @Test
    void leavesTheFilesOfAMaterializationThatTakesHours() throws IOException {
        store.stateFile(JOB, "taskowned", "of-hours-ago", NOW - 2 * HOUR);
        Store.metadata(
                store.checkpoints().resolve(JOB).resolve("chk-8"),
                NOW,
                store.materialized(JOB, 8, OLD));

        assertThat(run("--state-files", "--delete", "--min-age", "1 h")).isZero();
        assertThat(store.stateFiles(JOB, "taskowned")).contains("of-hours-ago");

        assertThat(run("--state-files", "--delete", "--min-age", "1 h", "--ended", JOB)).isZero();
        assertThat(store.stateFiles(JOB, "taskowned")).isNotEmpty().doesNotContain("of-hours-ago");
    }

    /** As docs/operations.md has it: of an older checkpoint the metadata are deleted by hand. */
    @Test
    void leavesTheBaseOfANewerCheckpointInADirectoryWithoutMetadata() throws IOException {
        KeyedStateHandle base = store.plain(JOB, 3, OLD);
        store.stateFile(JOB, "chk-3", "operator-state", OLD);
        Path older = Store.metadata(store.checkpoints().resolve(JOB).resolve("chk-3"), OLD, base);
        configuration.add("execution.checkpointing.num-retained: 2");
        Store.metadata(
                store.checkpoints().resolve(JOB).resolve("chk-8"),
                NOW,
                Store.changelog(8, List.of(base)));
        assertThat(run("--state-files", "--delete")).isZero();
        assertThat(store.stateFiles(JOB, "chk-3")).hasSize(3);
        String asked = "Older than those of its job that Flink retains: file:";
        assertThat(out.toString())
                .contains(asked + older.getParent() + "\n")
                .doesNotContain("chk-7")
                .doesNotContain("chk-8")
                .contains("Delete the _metadata of those that neither");

        Files.delete(older);
        out.getBuffer().setLength(0);
        assertThat(run("--state-files", "--delete")).isZero();
        assertThat(out.toString()).doesNotContain(asked);
        assertThat(store.stateFiles(JOB, "chk-3")).containsExactly("base");
    }

    /** Else a path that was mistyped looks clean. */
    @Test
    void refusesABasePathWithoutLogsWhereCheckpointsReferToSome() throws IOException {
        Path job = store.checkpoints().resolve(JOB);
        Store.metadata(
                job.resolve("chk-8"),
                NOW,
                store.materialized(JOB, 8, OLD, store.segment(JOB, "needed", OLD)));
        configuration.add(
                "state.changelog.dstl.dfs.base-path: " + root.resolve("elsewhere").toUri());

        assertThat(run()).isEqualTo(3);
        assertThat(err.toString())
                .contains("No job has a log in file:" + root.resolve("elsewhere"))
                .contains("the checkpoints refer to")
                .contains("dstl.dfs.base-path");
    }

    /** A running job has others every moment, and a store may tell their times to the second. */
    @Test
    void namesNoCheckpointThatMayBeOneOfTheNewest() throws IOException {
        Path job = store.checkpoints().resolve(JOB);
        Store.metadata(job.resolve("chk-8"), NOW, store.materialized(JOB, 8, OLD));
        Store.metadata(job.resolve("chk-6"), NOW - HOUR, store.materialized(JOB, 6, OLD));
        for (String retained : List.of("1", "0", "-1")) {
            configuration.add("execution.checkpointing.num-retained: " + retained);
            assertThat(run("--min-age", "2 h")).isZero();
            assertThat(out.toString()).doesNotContain("Flink retains");
        }
        assertThat(run("--min-age", "1 h")).isZero();
        assertThat(out.toString()).contains("Flink retains: file:" + job.resolve("chk-6") + "\n");
    }

    @Test
    void findsTheStateFilesOfAnEndedJobWithoutCheckpoints() throws IOException {
        store.stateFile(OTHER, "shared", "state-orphan", OLD);
        assertThat(run("--state-files", "--delete")).isZero();
        assertThat(store.stateFiles(OTHER, "shared")).hasSize(1);
        assertThat(run("--state-files", "--delete", "--ended", OTHER, "--no-checkpoints-of", OTHER))
                .isZero();
        assertThat(store.stateFiles(OTHER, "shared")).isEmpty();
    }

    /**
     * Another cluster's checkpoints say nothing of those of one that completes none for a while.
     */
    @Test
    void goesByTheCheckpointsOfTheirOwnDirectory() throws IOException {
        store.stateFile(OTHER, "taskowned", "base", OLD);
        Path theirs = root.resolve("checkpoints-of-another");
        Store.metadata(theirs.resolve(OTHER).resolve("chk-7"), NOW);
        String directory = theirs.toUri().toString();

        assertThat(run("--state-files", "--delete", "--checkpoints", directory)).isZero();
        assertThat(store.stateFiles(OTHER, "taskowned")).hasSize(1);

        Store.metadata(store.checkpoints().resolve(OTHER).resolve("chk-3"), NOW);
        assertThat(run("--state-files", "--delete", "--checkpoints", directory)).isZero();
        assertThat(store.stateFiles(OTHER, "taskowned")).isEmpty();
    }

    /** The configuration was changed, and the job goes on. */
    @Test
    void goesByTheDirectoryThatCheckpointsHaveMovedTo() throws IOException {
        store.stateFile(OTHER, "taskowned", "base", OLD);
        store.stateFile(OTHER, "taskowned", "young", NOW - HOUR);
        store.segmentOf(store.checkpoints(), OTHER, "of-then", OLD);
        Path now = root.resolve("checkpoints-of-now");
        Store.metadata(now.resolve(OTHER).resolve("chk-7"), NOW);
        String directory = now.toUri().toString();
        assertThat(run("--state-files", "--delete", "--checkpoints", directory)).isEqualTo(3);
        Matcher cluster = Pattern.compile("--ended (\\S+/[0-9a-f]{8})").matcher(err.toString());
        assertThat(cluster.find()).isTrue();
        assertThat(out.toString()).contains("DIR, with " + cluster.group(1) + ".");
        String moved = cluster.group(1) + "=";

        assertThat(run("--state-files", "--delete", "--moved", moved + root.toUri())).isEqualTo(3);
        assertThat(err.toString()).contains("which --moved names");
        assertThat(run("--moved", moved + directory, "--moved", moved + "/a")).isEqualTo(2);
        assertThat(err.toString()).contains("--moved names two directories for ");
        assertThat(run("--moved", "my-job=" + directory)).isEqualTo(2);
        assertThat(err.toString()).contains("--moved is 'my-job=");
        assertThat(store.stateFiles(OTHER, "taskowned")).hasSize(2);

        String[] all = {
            "--state-files", "--delete", "--checkpoints", directory, "--moved", moved + directory
        };
        assertThat(run(all)).isZero();
        assertThat(store.stateFiles(OTHER, "taskowned")).containsExactly("young");
        assertThat(store.segments(OTHER)).doesNotContain("of-then");
    }

    /** A job that has taken over its checkpoint still lists its log. */
    @Test
    void aReferenceToItsLogIsNoCheckpointOfAnotherDirectory() throws IOException {
        store.stateFile(OTHER, "taskowned", "base", OLD);
        store.checkpoint(JOB, 8, NOW, store.segment(OTHER, "taken-over", OLD));

        assertThat(run("--state-files", "--delete")).isZero();
        assertThat(out.toString()).doesNotContain("--moved");
        assertThat(store.stateFiles(OTHER, "taskowned")).hasSize(1);

        String[] left = {
            "--state-files", "--delete", "--ended", OTHER, "--no-checkpoints-of", OTHER
        };
        assertThat(run(left)).isZero();
        assertThat(store.stateFiles(OTHER, "taskowned")).isEmpty();
        assertThat(store.segments(OTHER)).containsExactly("taken-over");
    }

    @Test
    void looksForStateFilesBehindNoSymbolicLink() throws IOException {
        store.stateFile(OTHER, "shared", "state", OLD);
        store.checkpoint(OTHER, 3, NOW);
        Path directory = store.checkpoints().resolve(OTHER);
        Path real = Files.move(directory, root.resolve(OTHER));
        Files.createSymbolicLink(directory, real);
        assertThat(run("--state-files", "--delete")).isZero();
        assertThat(store.stateFiles(OTHER, "shared")).containsExactly("state");
        assertThat(store.segments(OTHER)).as("its checkpoint counts").isEmpty();
    }
}
