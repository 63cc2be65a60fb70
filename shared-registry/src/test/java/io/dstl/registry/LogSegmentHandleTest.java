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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogSegmentHandleTest {
    private static final int SEGMENTS = 500;
    private static final long PATIENCE_SECONDS = 120;
    private static final int FLINKS_THREADS = 4;

    @TempDir private File directory;
    private Bucket bucket;

    @BeforeEach
    void openBucket() {
        bucket = new Bucket(directory);
    }

    @Test
    void itIsTheFileToFlink() {
        FileStateHandle plain = bucket.put("segment");
        StreamStateHandle listed = LogSegmentHandle.of(plain);

        assertThat(listed).isInstanceOf(LogSegmentHandle.class).isEqualTo(plain);
        assertThat(plain).isEqualTo(listed).hasSameHashCodeAs(listed);
        assertThat(listed.getStreamStateHandleID()).isEqualTo(plain.getStreamStateHandleID());
        assertThat(listed.getStateSize()).isEqualTo(plain.getStateSize());
    }

    @Test
    void noOtherHandleIsTouched() {
        StreamStateHandle inMemory = new ByteStreamStateHandle("a", new byte[] {1});
        FileStateHandle plain = bucket.put("segment");
        StreamStateHandle relative =
                new RelativeFileStateHandle(plain.getFilePath(), "segment", plain.getStateSize());
        StreamStateHandle listed = LogSegmentHandle.of(plain);

        assertThat(LogSegmentHandle.of(inMemory)).isSameAs(inMemory);
        assertThat(LogSegmentHandle.of(relative)).isSameAs(relative);
        assertThat(LogSegmentHandle.of(listed)).isSameAs(listed);
    }

    /** What high availability keeps must be readable without the jar. */
    @Test
    void whatTheJobManagerKeepsIsFlinksOwn() throws Exception {
        StreamStateHandle listed = LogSegmentHandle.of(bucket.put("segment"));
        StreamStateHandle received = InstantiationUtil.clone(listed);
        StreamStateHandle kept = InstantiationUtil.clone(received);

        assertThat(received).isExactlyInstanceOf(LogSegmentHandle.class).isEqualTo(listed);
        assertThat(kept).isExactlyInstanceOf(FileStateHandle.class).isEqualTo(listed);
        assertThat(kept.getStateSize()).isEqualTo(listed.getStateSize());
    }

    /** Thousands of tasks list a segment in each checkpoint, and a path is large. */
    @Test
    void theJobManagerKeepsThePathOfASegmentOnce() throws Exception {
        FileStateHandle segment = bucket.put("segment");
        LogSegmentHandle first =
                (LogSegmentHandle) InstantiationUtil.clone(LogSegmentHandle.of(segment));
        LogSegmentHandle second =
                (LogSegmentHandle) InstantiationUtil.clone(LogSegmentHandle.of(segment));

        assertThat(second.getFilePath()).isSameAs(first.getFilePath());
        assertThat(second).isNotSameAs(first).isEqualTo(first).isEqualTo(segment);
        assertThat(second.getStateSize()).isEqualTo(segment.getStateSize());
    }

    @Test
    void theTaskManagerDeletesItAtOnce() throws Exception {
        StreamStateHandle listed = LogSegmentHandle.of(bucket.put("segment"));
        listed.discardState();
        assertThat(bucket.listing()).isEmpty();
        listed.discardState();
    }

    @Test
    void theTaskManagerHearsOfAFailure() throws IOException {
        FileStateHandle folder =
                new FileStateHandle(
                        org.apache.flink.core.fs.Path.fromLocalFile(directory), directory.length());
        Files.createFile(directory.toPath().resolve("keeps it from being deleted"));

        assertThatThrownBy(() -> LogSegmentHandle.of(folder).discardState())
                .isInstanceOf(IOException.class);
    }

    /** In a plugin, say: the JobManager has no such class. */
    @Test
    void aLoaderThatTheJobManagerMayNotHaveListsFlinksOwn() throws Exception {
        FileStateHandle plain = bucket.put("segment");
        URL classes = LogSegmentHandle.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader flink = FileStateHandle.class.getClassLoader();
        try (URLClassLoader plugin = new ChildFirst(classes, flink)) {
            Class<?> there = plugin.loadClass(LogSegmentHandle.class.getName());
            assertThat(there).isNotSameAs(LogSegmentHandle.class);
            assertThat(there.getMethod("of", StreamStateHandle.class).invoke(null, plain))
                    .isSameAs(plain);
        }
    }

    /** A process that halts as soon as the threads are done that have given them up. */
    @Test
    void theEndOfTheJobManagerWaitsForDeletions() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(EndingProcess.class.getName());
        for (int i = 0; i < SEGMENTS; i++) {
            command.add(bucket.put("segment").getFilePath().toString());
        }
        Process process = new ProcessBuilder(command).inheritIO().start();

        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(bucket.listing()).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Receives the segments that it is told of, gives them up, and ends as a JobManager does. */
    static final class EndingProcess {

        private EndingProcess() {}

        public static void main(String[] segments) throws Exception {
            ExecutorService flinks = Executors.newFixedThreadPool(FLINKS_THREADS);
            for (String segment : segments) {
                StreamStateHandle received =
                        InstantiationUtil.clone(
                                LogSegmentHandle.of(
                                        new FileStateHandle(
                                                new org.apache.flink.core.fs.Path(
                                                        URI.create(segment)),
                                                1)));
                flinks.execute(() -> discard(received));
            }
            flinks.shutdown();
            boolean ended = flinks.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            boolean onThreadsOfOurs =
                    Thread.getAllStackTraces().keySet().stream()
                            .anyMatch(
                                    thread ->
                                            thread.getName().startsWith("dstl-jobmanager-discard"));
            Runtime.getRuntime().halt(ended && onThreadsOfOurs ? 0 : 1);
        }

        private static void discard(StreamStateHandle segment) {
            try {
                segment.discardState();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Has classes of its own, as a plugin's loader has. */
    private static final class ChildFirst extends URLClassLoader {

        ChildFirst(URL classes, ClassLoader flink) {
            super(new URL[] {classes}, flink);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith("io.dstl.")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }
    }
}
