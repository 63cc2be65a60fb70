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
package io.dstl.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobManagerDeletionsTest {
    private final ManualExecutor threads = new ManualExecutor();
    private final ManualTimer timer = new ManualTimer();
    private final JobManagerDeletions deletions = new JobManagerDeletions(threads, timer);

    @TempDir private File directory;
    private Bucket bucket;

    @BeforeEach
    void openBucket() {
        bucket = new Bucket(directory);
    }

    @Test
    void itDeletesLaterOnItsThreads() {
        deletions.delete(listed(bucket.put("segment")));
        assertThat(bucket.listing()).hasSize(1);
        assertThat(deletions.unfinished()).isOne();

        threads.runAll();
        assertThat(bucket.listing()).isEmpty();
        assertThat(deletions.unfinished()).isZero();
    }

    @Test
    void aFailureIsTriedAgainAndStopsNothingElse() throws IOException {
        Path inTheWay = refuse("a");
        deletions.delete(handle("a"));
        deletions.delete(listed(bucket.put("b")));
        threads.runAll();
        assertThat(bucket.listing()).containsExactly("a");
        assertThat(deletions.unfinished()).isOne();

        Files.delete(inTheWay);
        timer.advance(Duration.ofSeconds(1));
        threads.runAll();
        assertThat(bucket.listing()).isEmpty();
        assertThat(deletions.unfinished()).isZero();
    }

    @Test
    void whatWaitsForItsNextAttemptHasItAtTheEnd() throws IOException {
        Path inTheWay = refuse("a");
        deletions.delete(handle("a"));
        threads.runAll();
        Files.delete(inTheWay);
        deletions.close();
        threads.runAll();

        assertThat(bucket.listing()).isEmpty();
        assertThat(deletions.unfinished()).isZero();
    }

    @Test
    void whatStaysInTheStoreIsNotWaitedFor() throws IOException {
        refuse("a");
        deletions.delete(handle("a"));
        deletions.close();
        threads.runAll();

        assertThat(bucket.listing()).containsExactly("a");
        assertThat(deletions.unfinished()).isZero();
    }

    /** A folder that is not empty cannot be deleted as a file can. */
    private Path refuse(String name) throws IOException {
        Path folder = Files.createDirectory(directory.toPath().resolve(name));
        return Files.createFile(folder.resolve("in the way"));
    }

    private SegmentHandle handle(String name) {
        return listed(
                new FileStateHandle(
                        org.apache.flink.core.fs.Path.fromLocalFile(new File(directory, name)), 1));
    }

    private static SegmentHandle listed(FileStateHandle segment) {
        return (SegmentHandle) SegmentHandle.of(segment);
    }
}
