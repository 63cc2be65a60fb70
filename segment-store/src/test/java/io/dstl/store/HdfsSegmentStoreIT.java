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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.secret.Redaction;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.testing.SegmentStoreContract;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.test.GenericTestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Through Flink's file system for {@code hdfs://}, against a real NameNode and DataNode. */
class HdfsSegmentStoreIT extends SegmentStoreContract {

    @TempDir private static Path disk;

    private static MiniDFSCluster cluster;

    private final String root = "/base-" + System.identityHashCode(this);

    @BeforeAll
    static void start() throws IOException {
        Configuration config = new Configuration();
        config.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, disk.toString());
        cluster = new MiniDFSCluster.Builder(config).numDataNodes(1).build();
        cluster.waitActive();
    }

    @AfterAll
    static void stop() {
        cluster.shutdown();
    }

    private org.apache.flink.core.fs.Path hdfs() {
        return new org.apache.flink.core.fs.Path(
                "hdfs://localhost:" + cluster.getNameNodePort() + root);
    }

    @Override
    protected SegmentStore create(Path unused, Executor uploads) throws IOException {
        FileSystem files = hdfs().getFileSystem();
        return new FileSystemSegmentStore(
                files, SegmentDirectory.on(files, hdfs(), JOB), 1000, uploads, Redaction.OF_URIS);
    }

    @Override
    protected String directory() {
        return root + "/" + JOB.toHexString() + "/dstl";
    }

    @Override
    protected List<String> files() throws IOException {
        List<String> names = new ArrayList<>();
        try {
            for (FileStatus file :
                    hdfs().getFileSystem()
                            .listStatus(
                                    new org.apache.flink.core.fs.Path(
                                            hdfs(), JOB.toHexString() + "/dstl"))) {
                names.add(file.getPath().getName());
            }
        } catch (FileNotFoundException e) {
            assertThat(names).as("nothing was ever stored: %s", e).isEmpty();
        }
        return names;
    }

    /** Flink's stream skips a short way, without end if there is nothing. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aSegmentThatWasCutHasAnEnd() throws Exception {
        SegmentStore store = create(disk, Runnable::run);
        FileStateHandle cut = stored(store, "one", 1, 2, 3);

        try (FSDataInputStream content = store.open(cut)) {
            assertThatThrownBy(() -> content.seek(1000)).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void aSegmentOutlivesARestartOfBothServers() throws Exception {
        SegmentStore store = create(disk, Runnable::run);
        CompletableFuture<FileStateHandle> put = store.put("one", bytes(1, 2, 3), PutListener.NONE);

        cluster.restartDataNodes();
        cluster.restartNameNodes();
        cluster.waitActive();
        cluster.triggerBlockReports();
        // Until then it knows the file and not where it is.
        GenericTestUtils.waitFor(() -> !cluster.getNameNode().isInSafeMode(), 100, 300_000);

        try (InputStream content = store.open(put.get())) {
            assertThat(content.readAllBytes()).containsExactly(1, 2, 3);
        }
        assertThat(files()).containsExactly("one");
    }

    @Test
    void aPutWithoutADataNodeFailsAndTheNextOneWorks() throws Exception {
        SegmentStore store = create(disk, Runnable::run);
        MiniDFSCluster.DataNodeProperties stopped = cluster.stopDataNode(0);

        CompletableFuture<FileStateHandle> put = store.put("one", bytes(1), PutListener.NONE);

        assertThat(put).isCompletedExceptionally();
        assertThat(files()).isEmpty();

        cluster.restartDataNode(stopped, false);
        cluster.waitActive();
        cluster.triggerHeartbeats();
        assertThat(store.put("two", bytes(1), PutListener.NONE)).isCompleted();
        assertThat(files()).containsExactly("two");
    }

    /** What a JobManager does with the handle. */
    @Test
    void flinkReadsAndDeletesASegment() throws Exception {
        SegmentStore store = create(disk, Runnable::run);
        FileStateHandle segment = store.put("one", bytes(4, 5), PutListener.NONE).get();

        try (InputStream content = segment.openInputStream()) {
            assertThat(content.readAllBytes()).containsExactly(4, 5);
        }
        segment.discardState();
        assertThat(files()).isEmpty();
    }
}
