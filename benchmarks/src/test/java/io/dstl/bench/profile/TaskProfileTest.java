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
package io.dstl.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.dstl.bench.profile.TaskProfile.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskProfileTest {
    private static final String FIRST = "[state -> discard: Writer (1/2)#0 tid=7]";
    private static final String SECOND = "[state -> discard: Writer (2/2)#3 tid=8]";
    private static final String PUT = ";java/lang/Thread.run;org/rocksdb/RocksDB.put";
    private static final String LOG = ";java/lang/Thread.run;io/dstl/fs/arena/Arena.endRecord";
    private static final String COPY = ";io/dstl/fs/arena/ChunkedOutput.write;memcpy";

    @TempDir private Path directory;

    @Test
    void allKindsOfWorkOfTheTaskThreadsComeToAHundred() throws IOException {
        TaskProfile profile =
                read(
                        FIRST + PUT + ";rocksdb::DBImpl::Put(a const&, b) 50000000",
                        SECOND + PUT + " 25000000",
                        SECOND + LOG + " 20000000",
                        FIRST + " 5000000");
        assertThat(profile.taskNanos()).isEqualTo(100_000_000);
        assertThat(profile.percent(Work.ROCKSDB)).isEqualTo(75);
        assertThat(profile.percent(Work.CHANGELOG)).isEqualTo(20);
        assertThat(profile.percent(Work.OTHER)).isEqualTo(5);
        assertThat(Arrays.stream(Work.values()).mapToDouble(profile::percent).sum())
                .isCloseTo(100, within(1e-9));
    }

    @Test
    void otherThreadsAreThoseOfTheProcess() throws IOException {
        TaskProfile profile =
                read(
                        FIRST + PUT + " 10",
                        "[Source: updates -> count (1/2)#0 tid=9]" + PUT + " 20",
                        "[OutputFlusher for state -> discard: Writer tid=10]" + PUT + " 30",
                        "[states (1/2)#0 tid=11]" + PUT + " 40",
                        "[GC Thread#0 tid=12] 50",
                        "[a; b tid=13];[not_walkable] 60");
        assertThat(profile.taskNanos()).isEqualTo(10);
        assertThat(profile.processNanos()).isEqualTo(210);
    }

    /** One that ended before the profiler asked for its name. */
    @Test
    void aThreadWithoutANameIsOfTheProcess() throws IOException {
        TaskProfile profile = read(FIRST + PUT + " 10", "[tid=14]" + PUT + " 20", "[tid=15] 30");
        assertThat(profile.taskNanos()).isEqualTo(10);
        assertThat(profile.processNanos()).isEqualTo(60);
    }

    @Test
    void aTaskMayHaveNothingChained() throws IOException {
        assertThat(read("[state (1/2)#0 tid=7]" + PUT + " 10").taskNanos()).isEqualTo(10);
    }

    @Test
    void theMethodsOfTheChangelogThatTakeMostComeFirst() throws IOException {
        TaskProfile profile =
                read(
                        FIRST + LOG + " 10",
                        FIRST + LOG + COPY + " 20",
                        SECOND + LOG + COPY + " 20",
                        FIRST + LOG + ";io/dstl/fs/Foo$$Lambda$7.0x0f8.run 1",
                        SECOND + PUT + " 49");
        assertThat(profile.changelogMethods(2))
                .isEqualTo(Map.of("ChunkedOutput.write", 40.0, "Arena.endRecord", 10.0))
                .containsExactly(
                        Map.entry("ChunkedOutput.write", 40.0), Map.entry("Arena.endRecord", 10.0));
        assertThat(profile.changelogMethods(10)).containsEntry("Foo.run", 1.0);
    }

    @Test
    void aRecordingWithoutTheTaskIsNoProfile() {
        assertThatThrownBy(() -> read("[main tid=1]" + PUT + " 10"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("recording")
                .hasMessageContaining("'state'");
    }

    @Test
    void whatIsNoRecordingIsRefusedByItsLine() {
        assertThatThrownBy(() -> read(FIRST + PUT + " 10", "java/lang/Thread.run 10"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("recording")
                .hasMessageContaining("line 2 is 'java/lang/Thread.run 10'");
        assertThatThrownBy(() -> read(FIRST + PUT + " many"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 1");
    }

    private TaskProfile read(String... lines) throws IOException {
        Path recording = directory.resolve("recording");
        Files.write(recording, List.of(lines));
        return TaskProfile.of(List.of("state"), recording);
    }
}
