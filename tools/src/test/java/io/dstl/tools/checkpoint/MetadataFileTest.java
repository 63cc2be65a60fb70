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
package io.dstl.tools.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataFileTest {
    @TempDir private Path directory;

    /** Flink's reader allocates arrays of whatever length it reads. */
    @Test
    void metadataThatTakesAllMemoryMayBeDamaged() throws IOException {
        Path file = Files.createFile(directory.resolve(MetadataFile.NAME));
        MetadataFile metadata = MetadataFile.at(new org.apache.flink.core.fs.Path(file.toUri()));
        InputStream huge =
                new InputStream() {
                    @Override
                    public int read() {
                        throw new OutOfMemoryError("Requested array size exceeds VM limit");
                    }
                };

        assertThatThrownBy(() -> metadata.parse(huge))
                .isInstanceOf(MetadataFile.TooLargeException.class)
                .hasMessageContaining("damaged")
                .hasMessageContaining("-Xmx");
    }

    /** Where names are relative, Flink asks the store for their directory while it reads. */
    @Test
    void aFailureOfTheStoreWithinIsNoDamage() throws IOException {
        Path file = directory.resolve(MetadataFile.NAME);
        org.apache.flink.core.fs.Path state =
                new org.apache.flink.core.fs.Path(directory.resolve("state").toUri());
        StreamStateHandle relative = new RelativeFileStateHandle(state, "state", 1);
        write(file, new KeyGroupsStateHandle(new KeyGroupRangeOffsets(0, 127), relative));
        assertThat(metadata(file).read().getCheckpointId()).isEqualTo(7);

        FileStatus status = FileSystem.getLocalFileSystem().getFileStatus(metadata(file).path());
        MetadataFile vanishing = new MetadataFile(vanishing(file), status);
        assertThatThrownBy(vanishing::read)
                .isNotInstanceOf(MetadataFile.NoMetadataException.class)
                .isInstanceOf(IOException.class);
    }

    @Test
    void whatIsNoMetadataIsSaidToBeNone() throws IOException {
        Path file = Files.write(directory.resolve(MetadataFile.NAME), new byte[] {1, 2, 3});
        assertThatThrownBy(() -> metadata(file).read())
                .isInstanceOf(MetadataFile.NoMetadataException.class);
    }

    private static void write(Path file, KeyedStateHandle state) throws IOException {
        OperatorState operator = new OperatorState(new OperatorID(1, 2), 1, 128);
        operator.putState(0, OperatorSubtaskState.builder().setManagedKeyedState(state).build());
        try (OutputStream out = Files.newOutputStream(file)) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(7, List.of(operator), List.of()), out);
        }
    }

    private static MetadataFile metadata(Path file) throws IOException {
        return MetadataFile.at(new org.apache.flink.core.fs.Path(file.toUri()));
    }

    /** Its content can be read once: then the store does not know it any more. */
    private static org.apache.flink.core.fs.Path vanishing(Path file) {
        return new org.apache.flink.core.fs.Path(file.toUri()) {
            @Override
            public FileSystem getFileSystem() {
                return new LocalFileSystem() {
                    @Override
                    public FSDataInputStream open(org.apache.flink.core.fs.Path opened)
                            throws IOException {
                        FSDataInputStream content = super.open(opened);
                        Files.delete(file);
                        return content;
                    }
                };
            }
        };
    }
}
