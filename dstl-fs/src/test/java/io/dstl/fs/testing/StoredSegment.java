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
package io.dstl.fs.testing;

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.store.SegmentOpener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * One segment with an index, in a store of its own that counts what is asked of it, and that may
 * damage what it delivers.
 */
public final class StoredSegment implements SegmentOpener {

    private final byte[] bytes;
    private final List<Long> offsets;
    private final StreamStateHandle handle;

    /** Requests: streams opened, and seeks on them to elsewhere. */
    public final AtomicInteger opened = new AtomicInteger();

    public final AtomicInteger open = new AtomicInteger();
    public final AtomicLong delivered = new AtomicLong();

    private UnaryOperator<byte[]> damage = UnaryOperator.identity();

    public StoredSegment(boolean compressed, ChangeSet... sets) throws IOException {
        this("the-segment", compressed, sets);
    }

    public StoredSegment(String name, boolean compressed, ChangeSet... sets) throws IOException {
        SegmentEncoder encoder = new SegmentEncoder(List.of(sets), compressed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        encoder.writeTo(out);
        this.bytes = out.toByteArray();
        this.offsets = encoder.offsets();
        this.handle = new ByteStreamStateHandle(indexed(name), bytes);
    }

    /** The name of a segment that must have an index, the same for the same text. */
    public static String indexed(String name) {
        UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return name + '/' + SegmentName.indexed(id);
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    public StreamStateHandle handle() {
        return handle;
    }

    public long offset(int set) {
        return offsets.get(set);
    }

    /** From now on a stream delivers what this makes of the bytes when it is opened. */
    public void damage(UnaryOperator<byte[]> newDamage) {
        damage = newDamage;
    }

    public static byte[] flip(byte[] bytes, long bit) {
        byte[] flipped = bytes.clone();
        flipped[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
        return flipped;
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        opened.incrementAndGet();
        open.incrementAndGet();
        return new Counted(
                new ByteStreamStateHandle("stored", damage.apply(bytes())).openInputStream());
    }

    private final class Counted extends FSDataInputStream {

        private final FSDataInputStream in;

        Counted(FSDataInputStream in) {
            this.in = in;
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public int read() throws IOException {
            int read = in.read();
            delivered.addAndGet(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int read = in.read(target, offset, length);
            delivered.addAndGet(Math.max(0, read));
            return read;
        }

        @Override
        public void close() throws IOException {
            open.decrementAndGet();
            in.close();
        }
    }
}
