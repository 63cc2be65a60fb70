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
import io.dstl.fs.segment.StoredBytes.FileRange;
import io.dstl.store.SegmentOpener;
import io.dstl.store.SegmentOpener.RangedReads;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
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

    /** Answers asked for, up to where their reader said it would read, or to the end. */
    public final List<FileRange> answers = new CopyOnWriteArrayList<>();

    /** What a client reads over, to go on by the same connection. */
    private static final int MAX_LEFT_OVER = 128 << 10;

    /** Of these, those that were given up before their end: a connection lost for each. */
    public final AtomicInteger brokenOff = new AtomicInteger();

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

    private final class Counted extends FSDataInputStream implements RangedReads {

        private final FSDataInputStream in;
        private long until = Long.MAX_VALUE;

        /** Where the answer ends that is being read. */
        private long asked;

        Counted(FSDataInputStream in) {
            this.in = in;
        }

        @Override
        public void readUntil(long end) {
            until = end;
        }

        private void ask() throws IOException {
            if (in.getPos() >= asked) {
                asked = Math.min(until > in.getPos() ? until : Long.MAX_VALUE, bytes.length);
                answers.add(new FileRange(in.getPos(), Math.max(in.getPos(), asked)));
            }
        }

        private void breakOff(int readOver) throws IOException {
            long left = asked - in.getPos();
            if (left > readOver) {
                brokenOff.incrementAndGet();
            } else if (left > 0) {
                delivered.addAndGet(left);
            }
            asked = 0;
        }

        @Override
        public void seek(long position) throws IOException {
            breakOff(MAX_LEFT_OVER);
            try {
                in.seek(position);
            } catch (IOException e) {
                // As HDFS does; the others notice when they read.
                throw new EOFException("Cannot seek to " + position);
            }
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            ask();
            int part = (int) Math.min(length, Math.max(1, asked - in.getPos()));
            int read = in.read(target, offset, part);
            delivered.addAndGet(Math.max(0, read));
            return read;
        }

        @Override
        public void close() throws IOException {
            open.decrementAndGet();
            breakOff(0);
            in.close();
        }
    }
}
