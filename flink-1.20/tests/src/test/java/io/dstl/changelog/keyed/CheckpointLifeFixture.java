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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.Delegate;
import io.dstl.testkit.PathsBelow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A directory for a {@link TestJob}, whose log can be broken and mended, and its delegates. */
abstract class CheckpointLifeFixture {
    static final int KEYS = 40;

    /** For change sets that are sent again ahead of the checkpoint that will need them. */
    static final Duration SHORT_DELAY = Duration.ofMillis(10);

    @TempDir Path directory;

    TestJob job;

    /** A job with so many subtasks, which run. */
    final void start(Delegate delegate, int parallelism) throws Exception {
        create(delegate);
        job.start(parallelism);
    }

    /** As {@link #start}; checkpoint 1 has completed with the value "a" of each key. */
    final void startAndCheckpoint(Delegate delegate, int parallelism) throws Exception {
        start(delegate, parallelism);
        job.put(1, KEYS, "a");
        job.checkpoint(1);
    }

    final void create(Delegate delegate) throws Exception {
        job = new TestJob(delegate.backend(directory), directory);
    }

    /**
     * @param persistDelay after which a batch goes, whoever is missing
     */
    final void create(Delegate delegate, Duration persistDelay) throws Exception {
        job = new TestJob(delegate.backend(directory), directory, persistDelay);
    }

    @AfterEach
    void close() throws Exception {
        if (job != null) {
            job.close();
        }
    }

    /** From now on nothing is stored there. */
    final void breakLog() throws Exception {
        Path log = directory.resolve("log");
        Files.move(log, directory.resolve("away"));
        Files.createFile(log);
    }

    /** File by file, as the next upload makes the directory again the moment that it can. */
    final void mendLog() throws Exception {
        Path log = directory.resolve("log");
        Path away = directory.resolve("away");
        Files.delete(log);
        for (Path file : PathsBelow.files(away)) {
            Path target = log.resolve(away.relativize(file));
            Files.createDirectories(target.getParent());
            Files.move(file, target);
        }
    }

    /** Ends the job and restores it from its latest checkpoint: no value is another one. */
    final void assertRestores(int parallelism) throws Exception {
        Map<Integer, String> before = job.read(1, KEYS);
        job.stop();
        job.start(parallelism);
        assertThat(job.read(1, KEYS)).isEqualTo(before);
    }
}
