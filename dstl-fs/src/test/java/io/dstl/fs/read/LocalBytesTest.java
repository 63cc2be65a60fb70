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
package io.dstl.fs.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fails under a local copy. */
class LocalBytesTest {

    @TempDir Path disk;

    private FileStateHandle segment;

    @BeforeEach
    void store() throws IOException {
        Path file = Files.write(disk.resolve("segment"), new byte[] {1, 2, 3, 4});
        segment = new FileStateHandle(new org.apache.flink.core.fs.Path(file.toUri()), 4);
    }

    private PartialCopy copyIn(Path file) {
        return new PartialCopy(segment, file, StreamStateHandle::openInputStream);
    }

    private static LocalBytes bytes(PartialCopy copy, FileChannel file) {
        return new LocalBytes(copy, file, new CloseableRegistry(), () -> {});
    }

    /** A directory can be opened, but gives no bytes. */
    @Test
    void whatCannotBeReadComesFromTheStore() throws Exception {
        byte[] target = new byte[2];
        try (LocalBytes bytes = bytes(copyIn(disk.resolve("copy")), FileChannel.open(disk))) {
            bytes.read(1, target);
        }
        assertThat(target).containsExactly(2, 3);
        assertThat(Files.readAllBytes(disk.resolve("copy"))).containsExactly(0, 2, 3);
    }

    @Test
    void aReadThatWasEndedIsNotTriedAgain() throws Exception {
        LocalBytes bytes = bytes(copyIn(disk.resolve("copy")), FileChannel.open(disk));
        bytes.close();
        assertThatThrownBy(() -> bytes.read(1, new byte[2]))
                .isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void whatCannotBeReplacedIsReadAllTheSame() throws Exception {
        Path full = Files.createSymbolicLink(disk.resolve("copy"), Path.of("/dev/full"));
        byte[] target = new byte[2];
        copyIn(full).replace(1, target, new CloseableRegistry());
        assertThat(target).containsExactly(2, 3);
    }

    /** As on a disk that was remounted to be read only. */
    @Test
    void whatCannotBeOpenedIsReadAllTheSame() throws Exception {
        Path directory = Files.createDirectory(disk.resolve("copy"));
        Files.createFile(directory.resolve("in the way of a deletion"));
        byte[] target = new byte[2];
        copyIn(directory).replace(1, target, new CloseableRegistry());
        assertThat(target).containsExactly(2, 3);
    }
}
