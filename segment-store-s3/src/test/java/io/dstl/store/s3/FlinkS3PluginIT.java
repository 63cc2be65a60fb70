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
package io.dstl.store.s3;

import static org.apache.flink.util.concurrent.Executors.newDirectExecutorServiceWithNoOpShutdown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.SegmentDirectory;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.StoreProvider.ClientChoice;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.testkit.RequiresDocker;
import java.io.FileNotFoundException;
import java.io.InputStream;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.plugin.DefaultPluginManager;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the direct client stores is Flink's to read and delete: by the handle alone, through
 * flink-s3-fs-presto from its own jar, as the JobManager does and savepoint tools do; and the other
 * way round. Against a real server.
 */
@ExtendWith(RequiresDocker.class)
class FlinkS3PluginIT {

    private static final JobID JOB = new JobID(1, 2);

    private static MinioServer minio;

    private final String bucket = "b-" + UUID.randomUUID();
    private final byte[] content = content();

    /** The plugin is put there by the build. */
    @BeforeAll
    static void start() throws Exception {
        minio = new MinioServer();
        Configuration config = minio.configuration();
        FileSystem.initialize(
                config,
                new DefaultPluginManager(
                        new DirectoryBasedPluginFinder(Paths.get("target", "flink-plugins"))
                                .findPlugins(),
                        CoreOptions.getPluginParentFirstLoaderPatterns(config)));
    }

    @AfterAll
    static void stop() {
        FileSystem.initialize(new Configuration(), null);
        minio.close();
    }

    @BeforeEach
    void makeBucket() throws Exception {
        minio.makeBucket(bucket);
    }

    private static byte[] content() {
        byte[] content = new byte[300_000];
        new Random(1).nextBytes(content);
        return content;
    }

    private Path base(String directory) {
        return new Path("s3://" + bucket + directory);
    }

    private SegmentStore direct(Path base) throws Exception {
        FileSystem plugin = FileSystem.getUnguardedFileSystem(base.toUri());
        assertThat(S3FileSystemKind.of(SegmentDirectory.innermost(plugin).getClass().getName()))
                .contains(S3FileSystemKind.PRESTO);
        assertThat(
                        new S3Provider()
                                .decide(ClientChoice.AUTO, minio.configuration(), base, plugin)
                                .isDirect())
                .isTrue();
        return minio.store(base, JOB, Runnable::run, newDirectExecutorServiceWithNoOpShutdown());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/base", "/a b/ä+c=d"})
    void readsAndDeletesWhatTheDirectClientStored(String directory) throws Exception {
        SegmentStore direct = direct(base(directory));
        FileStateHandle stored =
                direct.put("one", out -> out.write(content), PutListener.NONE).get();
        direct.put("other", out -> out.write(content), PutListener.NONE).get();

        // As it comes out of a checkpoint's metadata: nothing of ours goes with it.
        FileStateHandle handle = InstantiationUtil.clone(stored);
        try (FSDataInputStream read = handle.openInputStream()) {
            assertThat(read.readAllBytes()).isEqualTo(content);
            read.seek(content.length - 3);
            assertThat(read.readAllBytes()).hasSize(3);
        }
        handle.discardState();

        assertThat(minio.keys(bucket)).hasSize(1).allMatch(key -> key.endsWith("/other"));
        try (InputStream gone = direct.open(stored)) {
            assertThatThrownBy(gone::read).isInstanceOf(FileNotFoundException.class);
        }
        // The JobManager was first: no failure.
        direct.delete(stored);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/base", "/a b/ä+c=d"})
    void isReadAndDeletedByTheDirectClient(String directory) throws Exception {
        Path base = base(directory);
        SegmentStore direct = direct(base);
        List<StreamStateHandle> segments = new ArrayList<>();
        for (String name : new String[] {"one", "other", "third"}) {
            Path file = new Path(base, name);
            try (FSDataOutputStream out =
                    file.getFileSystem().create(file, WriteMode.NO_OVERWRITE)) {
                out.write(content);
            }
            segments.add(new FileStateHandle(file, content.length));
        }

        try (InputStream read = direct.open(segments.get(0))) {
            assertThat(read.readAllBytes()).isEqualTo(content);
        }
        direct.delete(segments.get(0));
        assertThat(minio.keys(bucket)).hasSize(2);
        assertThat(direct.deleteAll(segments).failures()).isEmpty();
        assertThat(minio.keys(bucket)).isEmpty();
    }
}
