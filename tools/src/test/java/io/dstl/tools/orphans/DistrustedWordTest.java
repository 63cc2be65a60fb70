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
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job is said to have ended, and its log goes on after the newest checkpoint that was found. */
class DistrustedWordTest extends OrphansCommandFixture {
    private static final long LEFT_BEHIND = NOW - 40 * 24 * HOUR;

    /** As where the program has set another directory, and a failover before that left one. */
    @BeforeEach
    void aCheckpointIsLeftWhereTheLaterOnesAreNot() throws IOException {
        store.checkpoint(
                OTHER, 3, LEFT_BEHIND, ours("kept", LEFT_BEHIND), ours("as old", LEFT_BEHIND));
        ours("orphan", LEFT_BEHIND - HOUR);
        ours("of the next", LEFT_BEHIND + HOUR);
        ours("of later ones", OLD);
    }

    private StreamStateHandle ours(String name, long writtenAt) throws IOException {
        return store.segmentOf(store.checkpoints(), OTHER, name, writtenAt);
    }

    @Test
    void keepsWhatLaterCheckpointsMayNeed() throws IOException {
        assertThat(run("--delete", "--ended", OTHER)).isEqualTo(3);
        assertThat(err.toString())
                .contains("The log of " + OTHER)
                .contains("--no-checkpoints-of " + OTHER);
        assertThat(store.segments(OTHER)).contains("of later ones", "kept", "as old");
        assertThat(store.segments(OTHER)).doesNotContain("orphan", "of the next");
    }

    @Test
    void namesTheJobAsTheWordDoes() throws IOException {
        String onTheCluster = OTHER + "/" + markOf(store.checkpoints());
        assertThat(run("--delete", "--ended", onTheCluster)).isEqualTo(3);
        assertThat(err.toString()).contains("--no-checkpoints-of " + onTheCluster);
        assertThat(run("--delete", "--ended", onTheCluster, "--no-checkpoints-of", onTheCluster))
                .isZero();
        assertThat(store.segments(OTHER)).doesNotContain("of later ones").contains("kept");
    }

    @Test
    void deletesItWhereNoneIsSaidToBeKept() throws IOException {
        assertThat(run("--delete", "--ended", OTHER, "--no-checkpoints-of", OTHER)).isZero();
        assertThat(store.segments(OTHER)).doesNotContain("of later ones").contains("kept");
    }

    @Test
    void findsThemWhereTheyAre() throws IOException {
        Path elsewhere = root.resolve("elsewhere");
        Store.metadata(elsewhere.resolve(OTHER).resolve("chk-9"), OLD, ours("of later ones", OLD));
        String moved = OTHER + "/" + markOf(store.checkpoints()) + "=" + elsewhere.toUri();
        assertThat(
                        run(
                                "--delete",
                                "--ended",
                                OTHER,
                                "--checkpoints",
                                elsewhere.toUri().toString(),
                                "--moved",
                                moved))
                .isZero();
        assertThat(store.segments(OTHER)).contains("of later ones");
    }

    private static String markOf(Path checkpoints) {
        return ClusterMark.show(ClusterMark.of(Store.flink(checkpoints)));
    }
}
