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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The command of docs/operations.md, after a job was moved from one bucket to another. */
class MovedBucketTest extends OrphansCommandFixture {
    private static final String BEGIN = "<version>.jar orphans ";

    private Store elsewhere;

    /** The job was stopped with a savepoint: Flink has deleted its checkpoints. */
    @BeforeEach
    void theJobIsElsewhereAndSomethingIsLeft() throws IOException {
        store.segmentOf(store.checkpoints(), OTHER, "segment", OLD);
        store.stateFile(OTHER, "taskowned", "base", OLD);
        Path now = root.resolve("now");
        elsewhere = new Store(now);
        elsewhere.checkpoint(JOB, 1, OLD);
        configuration.clear();
        configuration.add("state.changelog.dstl.dfs.base-path: " + elsewhere.log().toUri());
        configuration.add("execution.checkpointing.dir: " + elsewhere.checkpoints().toUri());
        configuration.add("execution.checkpointing.savepoint-dir: " + now.toUri());
    }

    private String[] documented(String job) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operations.md"));
        String section = page.substring(page.indexOf("\n## Move to another bucket"));
        String command = section.substring(section.indexOf(BEGIN) + BEGIN.length());
        return command.substring(0, command.indexOf("\n\n"))
                .replace("\\\n", "")
                .replace("OLD_BASE_PATH", store.log().toUri().toString())
                .replace("OLD_CHECKPOINT_DIRECTORY", store.checkpoints().toUri().toString())
                .replace("NEW_CHECKPOINT_DIRECTORY", elsewhere.checkpoints().toUri().toString())
                .replace("JOB_ID", job)
                .split(" +");
    }

    private void checkThatNothingIsLeft() throws IOException {
        assertThat(store.segments(OTHER)).doesNotContain("segment");
        assertThat(store.stateFiles(OTHER, "taskowned")).isEmpty();
        assertThat(store.segments(JOB)).contains("referred-1", "referred-2");
    }

    @Test
    void whatIsLeftInTheOldOneIsDeleted() throws IOException {
        assertThat(run(documented(OTHER))).isZero();
        assertThat(store.segments(OTHER)).isEmpty();
        checkThatNothingIsLeft();
    }

    /** It was started from a retained checkpoint, and goes on with the files of that. */
    @Test
    void whatAnotherJobElsewhereStillNeedsIsKept() throws IOException {
        elsewhere.checkpoint(JOB, 1, OLD, store.stateFile(OTHER, "taskowned", "needed", OLD));

        assertThat(run(documented(OTHER))).isZero();
        assertThat(store.stateFiles(OTHER, "taskowned")).containsExactly("needed");
    }

    /** As in application mode, before it runs elsewhere. */
    @Test
    void ofAJobWithoutCheckpointsTheMarkIsShown() throws IOException {
        assertThat(run(withoutTheWord())).isZero();
        Matcher cluster =
                Pattern.compile("JOB_ID/MARK in its place, with (\\S+/[0-9a-f]{8})\\.")
                        .matcher(out.toString());
        assertThat(cluster.find()).isTrue();
        assertThat(store.segments(OTHER)).contains("segment");
        assertThat(err.toString()).doesNotContain("Another cluster");

        assertThat(run(documented(cluster.group(1)))).isZero();
        checkThatNothingIsLeft();
    }

    /** The documented command but for its last two options. */
    private String[] withoutTheWord() throws IOException {
        List<String> options = List.of(documented(OTHER));
        return options.subList(0, options.size() - 4).toArray(new String[0]);
    }

    /** What it has just written may be of a materialization under way. */
    @Test
    void aJobOfTheSameIdElsewhereIsLeftAlone() throws IOException {
        elsewhere.checkpoint(OTHER, 1, OLD);
        elsewhere.stateFile(OTHER, "taskowned", "of-the-running-job", OLD);
        assertThat(run(withoutTheWord())).isEqualTo(3);
        Matcher cluster = Pattern.compile("--ended (\\S+/[0-9a-f]{8})").matcher(err.toString());
        assertThat(cluster.find()).isTrue();

        assertThat(run(documented(cluster.group(1)))).isZero();
        checkThatNothingIsLeft();
        assertThat(elsewhere.stateFiles(OTHER, "taskowned")).containsExactly("of-the-running-job");
    }
}
