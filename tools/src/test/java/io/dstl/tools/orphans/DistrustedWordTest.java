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

import io.dstl.fs.segment.ClusterMark;
import io.dstl.fs.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job is said to have ended, and its log goes on after the newest checkpoint that was found. */
class DistrustedWordTest extends OrphansCommandFixture {
    private static final long LEFT_BEHIND = NOW - 40 * 24 * HOUR;

    /** As where the program has set another directory, and a failover before that left one. */
    @BeforeEach
    void aCheckpointIsLeftWhereTheLaterOnesAreNot() throws IOException {
        Files.delete(
                store.log().resolve(OTHER).resolve("dstl").resolve(store.uuid("of-unknown-job")));
        store.checkpoint(
                OTHER, 3, LEFT_BEHIND, ours("kept", LEFT_BEHIND), ours("as old", LEFT_BEHIND));
        ours("orphan", LEFT_BEHIND - 24 * HOUR);
        ours("of the next", LEFT_BEHIND + HOUR);
        ours("of later ones", OLD);
    }

    private StreamStateHandle ours(String name, long writtenAt) throws IOException {
        return store.segmentOf(store.checkpoints(), OTHER, name, writtenAt);
    }

    @Test
    void keepsWhatLaterCheckpointsMayNeed() throws IOException {
        store.stateFile(OTHER, "shared", "base of later ones", OLD);
        store.stateFile(OTHER, "shared", "old base", LEFT_BEHIND - 24 * HOUR);
        assertThat(run("--delete", "--state-files", "--ended", OTHER)).isEqualTo(3);
        assertThat(err.toString())
                .contains("The log of " + ofOurs())
                .contains("--no-checkpoints-of " + ofOurs());
        assertThat(store.segments(OTHER))
                .contains("of later ones", "of the next", "kept", "as old")
                .doesNotContain("orphan");
        assertThat(store.stateFiles(OTHER, "shared")).containsExactly("base of later ones");
    }

    /** More of it asks for more time, not for less evidence. */
    @Test
    void patienceDoesNotMakeItTrusting() throws IOException {
        assertThat(run("--delete", "--min-age", "39 d", "--ended", OTHER)).isEqualTo(3);
        assertThat(store.segments(OTHER)).contains("of the next", "of later ones");
    }

    @Test
    void deletesItWhereNoneIsSaidToBeKept() throws IOException {
        assertThat(run("--delete", "--ended", OTHER, "--no-checkpoints-of", ofOurs())).isZero();
        assertThat(store.segments(OTHER)).containsExactlyInAnyOrder("as old", "kept");
    }

    /**
     * The directory is a slip of the pen, say: the log is needed by a job that has taken it over.
     */
    @Test
    void doesNotDeleteItWhereNoCheckpointIsFoundAtAll() throws IOException {
        configuration.set(1, "execution.checkpointing.dir: " + root.resolve("stale").toUri());
        configuration.add("execution.checkpointing.savepoint-dir: " + store.savepoints().toUri());
        Store.metadata(store.savepoints().resolve("savepoint-1-2"), NOW);
        List<String> all = store.segments(OTHER);
        for (String word : List.of(OTHER, ofOurs())) {
            err.getBuffer().setLength(0);
            assertThat(run("--delete", "--ended", word, "--no-checkpoints-of", word)).isEqualTo(3);
            assertThat(err.toString())
                    .contains("No checkpoint of any job was found in file:" + root.resolve("stale"))
                    .contains("--checkpoints DIR")
                    .contains("If no job runs on any cluster with this base path");
        }
        assertThat(store.segments(OTHER)).containsExactlyElementsOf(all);
    }

    /** A word for all clusters would give up what only the other one's checkpoints need. */
    @Test
    void itsAdviceLeavesTheLogOfAnotherClusterAlone() throws IOException {
        store.segmentOf(root.resolve("theirs"), OTHER, "theirs", OLD);
        assertThat(run("--delete", "--ended", OTHER)).isEqualTo(3);
        assertThat(err.toString())
                .contains("--no-checkpoints-of " + ofOurs())
                .contains("Another cluster writes");
        assertThat(run("--delete", "--ended", OTHER, "--no-checkpoints-of", ofOurs())).isEqualTo(3);
        assertThat(store.segments(OTHER)).contains("theirs").doesNotContain("of later ones");
    }

    @Test
    void findsThemWhereTheyAre() throws IOException {
        Path elsewhere = root.resolve("elsewhere");
        Store.metadata(elsewhere.resolve(OTHER).resolve("chk-9"), OLD, ours("of later ones", OLD));
        ours("of none", OLD - HOUR);
        String directory = elsewhere.toUri().toString();
        assertThat(run("--delete", "--ended", OTHER, "--checkpoints", directory)).isEqualTo(3);
        assertThat(err.toString()).contains("--moved JOB_ID/MARK=DIR").contains(ofOurs());
        assertThat(store.segments(OTHER)).contains("of none");

        String moved = ofOurs() + "=" + directory;
        assertThat(run("--delete", "--ended", OTHER, "--checkpoints", directory, "--moved", moved))
                .isZero();
        assertThat(store.segments(OTHER)).contains("of later ones").doesNotContain("of none");
    }

    /** As where the configuration was changed, and its mark with it. */
    @Test
    void keepsWhatTheCheckpointsOfAnotherMarkMayNeed() throws IOException {
        Files.delete(segment("of later ones"));
        store.segmentOf(root.resolve("theirs"), OTHER, "theirs", OLD);
        store.stateFile(OTHER, "taskowned", "base", LEFT_BEHIND + HOUR);
        assertThat(run("--delete", "--state-files", "--ended", OTHER)).isEqualTo(3);
        assertThat(store.segments(OTHER)).contains("of the next", "theirs");
        assertThat(store.stateFiles(OTHER, "taskowned")).containsExactly("base");
    }

    /** Flink's own segments bear no mark: only the checkpoints that were found tell of one. */
    @Test
    void namesTheMarksThatCheckpointsWereFoundOf() throws IOException {
        Files.delete(segment("of later ones"));
        store.segment(OTHER, "unmarked", OLD);
        Path elsewhere = root.resolve("elsewhere");
        Store.metadata(elsewhere.resolve(OTHER).resolve("chk-9"), NOW);
        String directory = elsewhere.toUri().toString();
        assertThat(run("--delete", "--ended", OTHER, "--checkpoints", directory)).isEqualTo(3);
        assertThat(err.toString())
                .containsPattern("checkpoints were found of [^)]*" + ofOurs() + "[,)]");

        String moved = ofOurs() + "=" + directory;
        assertThat(run("--delete", "--ended", OTHER, "--checkpoints", directory, "--moved", moved))
                .isZero();
        assertThat(store.segments(OTHER)).doesNotContain("unmarked");
    }

    private Path segment(String name) throws IOException {
        String uuid = SegmentName.indexed(UUID.fromString(store.uuid(name)));
        int mark = ClusterMark.of(Store.flink(store.checkpoints()));
        return store.log().resolve(OTHER).resolve("dstl").resolve(ClusterMark.put(uuid, mark));
    }

    private String ofOurs() {
        return OTHER + "/" + ClusterMark.show(ClusterMark.of(Store.flink(store.checkpoints())));
    }
}
