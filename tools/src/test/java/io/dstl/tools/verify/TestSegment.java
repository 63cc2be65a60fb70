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
package io.dstl.tools.verify;

import io.dstl.fs.arena.Arena;
import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.arena.ChunkPool;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.fs.segment.SegmentName;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** A segment of the change sets of two subtasks, as dstl writes it, in a local directory. */
final class TestSegment {
    private static final int CHANGES = 100;

    private final Path path;
    private final byte[] bytes;
    private final List<Long> offsets;

    private TestSegment(Path path, byte[] bytes, List<Long> offsets) {
        this.path = path;
        this.bytes = bytes;
        this.offsets = offsets;
    }

    /** The same bytes for the same number. */
    static TestSegment write(Path directory, int number, boolean compressed) throws IOException {
        SegmentEncoder encoder =
                new SegmentEncoder(
                        List.of(
                                changes(number, VerifyFixture.LOWER),
                                changes(-number, VerifyFixture.UPPER)),
                        compressed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        encoder.writeTo(out);
        return new TestSegment(name(directory, number), out.toByteArray(), encoder.offsets())
                .store();
    }

    /** As Flink's own backend writes it, compressed; the same bytes for the same number. */
    static TestSegment writeAsFlink(Path directory, int number) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(1);
        List<Long> offsets = new ArrayList<>();
        Random random = new Random(number);
        try (DataOutputStream content =
                new DataOutputStream(
                        SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(bytes))) {
            for (KeyGroupRange keyGroups : List.of(VerifyFixture.LOWER, VerifyFixture.UPPER)) {
                offsets.add((long) content.size());
                content.writeInt(1);
                content.writeInt(CHANGES);
                content.writeInt(keyGroups.getStartKeyGroup());
                for (int i = 0; i < CHANGES; i++) {
                    byte[] change = new byte[random.nextInt(100)];
                    random.nextBytes(change);
                    content.writeInt(change.length);
                    content.write(change);
                }
            }
        }
        UUID name = new UUID(number << 16 | 0x4000, Long.MIN_VALUE | number);
        return new TestSegment(directory.resolve(name.toString()), bytes.toByteArray(), offsets)
                .store();
    }

    private static Path name(Path directory, int number) {
        return directory.resolve(SegmentName.indexed(new UUID(number, Long.MIN_VALUE | number)));
    }

    private static ChangeSet changes(long seed, KeyGroupRange keyGroups) throws IOException {
        Random random = new Random(seed);
        Arena arena = new Arena(new ChunkPool(1 << 20), keyGroups, true);
        for (int i = 0; i < CHANGES; i++) {
            byte[] change = new byte[random.nextInt(100)];
            random.nextBytes(change);
            arena.beginRecord().write(change);
            arena.endRecord(
                    KeyGroupSlots.ofKeyGroup(
                            keyGroups,
                            keyGroups.getStartKeyGroup()
                                    + random.nextInt(keyGroups.getNumberOfKeyGroups())));
        }
        return arena.seal();
    }

    private TestSegment store() throws IOException {
        Files.createDirectories(path.getParent());
        Files.write(path, bytes);
        return this;
    }

    /** Another object of the same content. */
    TestSegment copy(int number) throws IOException {
        return new TestSegment(name(path.getParent(), number), bytes, offsets).store();
    }

    Path path() {
        return path;
    }

    int bytes() {
        return bytes.length;
    }

    long offset(int set) {
        return offsets.get(set);
    }

    StreamStateHandle handle() {
        return new FileStateHandle(new org.apache.flink.core.fs.Path(path.toUri()), bytes.length);
    }
}
