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

import static io.dstl.tools.orphans.OrphanRule.Verdict.CLUSTER_UNKNOWN;
import static io.dstl.tools.orphans.OrphanRule.Verdict.JOB_UNKNOWN;
import static io.dstl.tools.orphans.OrphanRule.Verdict.ORPHAN;
import static io.dstl.tools.orphans.OrphanRule.Verdict.REFERENCED;
import static io.dstl.tools.orphans.OrphanRule.Verdict.YOUNG;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.orphans.OrphanRule.OperatorWord;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrphanRuleTest {
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long NOW = 1000 * HOUR;
    private static final String ENDED = Store.job(9);

    @TempDir private java.nio.file.Path root;

    private OrphanRule rule;
    private Store store;

    @BeforeEach
    void emptyStore() throws Exception {
        rule =
                new OrphanRule(
                        Duration.ofHours(24),
                        OperatorWord.of(List.of(ENDED), List.of(), List.of()),
                        1,
                        NOW);
        store = new Store(root);
    }

    @Test
    void aSegmentThatIsReferredToStaysHoweverOldItIs() throws Exception {
        store.checkpoint(Store.job(1), 7, NOW, store.segment(Store.job(1), "s", 0));
        assertThat(judge(Store.job(1), "s", 0)).isEqualTo(REFERENCED);
    }

    @Test
    void ofARunningJobWhatIsOlderThanItsNewestCheckpointIsNobodys() throws Exception {
        store.checkpoint(Store.job(1), 7, NOW - 100 * HOUR);
        assertThat(judge(Store.job(1), "s", NOW - 124 * HOUR)).isEqualTo(ORPHAN);
        assertThat(judge(Store.job(1), "s", NOW - 124 * HOUR + 1)).isEqualTo(YOUNG);
    }

    /** Its next checkpoint lists the log since the last one, however long ago that was. */
    @Test
    void theLogOfAJobThatCompletesNoCheckpointStays() throws Exception {
        store.checkpoint(Store.job(1), 7, NOW - 100 * HOUR);
        assertThat(judge(Store.job(1), "s", NOW - 99 * HOUR)).isEqualTo(YOUNG);
    }

    @Test
    void theCheckpointOfAnotherJobSaysNothing() throws Exception {
        store.checkpoint(Store.job(2), 7, NOW);
        assertThat(judge(Store.job(1), "s", 0)).isEqualTo(JOB_UNKNOWN);
        assertThat(judgeMarked(Store.job(1))).isEqualTo(JOB_UNKNOWN);
    }

    /** The job goes on, and its next checkpoint lists a log that no savepoint does. */
    @Test
    void aSavepointSaysNothing() throws Exception {
        store.savepoint(Store.job(1), NOW);
        assertThat(judge(Store.job(1), "s", 0)).isEqualTo(JOB_UNKNOWN);
        assertThat(judgeMarked(Store.job(1))).isEqualTo(JOB_UNKNOWN);
    }

    @Test
    void ofAnEndedJobOnlyTheAgeCounts() throws Exception {
        assertThat(judge(ENDED, "s", NOW - 24 * HOUR)).isEqualTo(ORPHAN);
        assertThat(judge(ENDED, "s", NOW - 24 * HOUR + 1)).isEqualTo(YOUNG);
        store.checkpoint(ENDED, 7, NOW, store.segment(ENDED, "kept", 0));
        assertThat(judge(ENDED, "kept", 0)).isEqualTo(REFERENCED);
    }

    /** A checkpoint of another cluster says nothing, nor does the word that the job has ended. */
    @Test
    void ofAClusterWithoutACheckpointNothingIsAnOrphan() throws Exception {
        assertThat(judgeMarked(ENDED)).isEqualTo(CLUSTER_UNKNOWN);
        Store.metadata(store.savepoints().resolve(Store.job(1)).resolve("chk-7"), NOW);
        assertThat(judgeMarked(Store.job(1))).isEqualTo(CLUSTER_UNKNOWN);
    }

    private Verdict judgeMarked(String job) throws Exception {
        return rule.judge(marked(job), store.search().read());
    }

    private StoredFile marked(String job) throws IOException {
        StreamStateHandle written = store.segmentOf(store.checkpoints(), job, "marked", 0);
        FileStatus file =
                FileSystem.getLocalFileSystem()
                        .getFileStatus(((FileStateHandle) written).getFilePath());
        return new StoredFile(StoredName.of(file.getPath()).orElseThrow(), file);
    }

    private Verdict judge(String job, String name, long writtenAt) throws Exception {
        store.segment(job, name, writtenAt);
        return rule.judge(stored(job, name), store.search().read());
    }

    private StoredFile stored(String job, String name) throws IOException {
        FileStatus file = store.status(job, name);
        return new StoredFile(StoredName.of(file.getPath()).orElseThrow(), file);
    }
}
