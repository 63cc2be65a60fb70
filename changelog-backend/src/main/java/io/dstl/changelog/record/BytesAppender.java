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
package io.dstl.changelog.record;

import io.dstl.fs.log.ChangeAppender;
import java.io.IOException;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.util.Preconditions;

/**
 * Appends to the log of a storage that is not ours (Flink's {@code memory}, or a third party's):
 * each record is one byte array, as {@link StateChangelogWriter} takes it.
 *
 * <p>Owns the buffer that records are written to. Does not own the writer, which it never closes.
 */
public final class BytesAppender implements ChangeAppender {
    private static final int INITIAL_BYTES = 256;

    /** A buffer that one large record has grown beyond this is not kept for the next one. */
    private static final int MAX_KEPT_BYTES = 1 << 20;

    private enum Open {
        NOTHING,
        CHANGE,
        METADATA
    }

    private final StateChangelogWriter<?> writer;
    private final KeyGroupRange keyGroups;
    private DataOutputSerializer buffer = new DataOutputSerializer(INITIAL_BYTES);
    private Open open = Open.NOTHING;
    private int keyGroup;

    /**
     * @param keyGroups the range of the writer
     */
    public BytesAppender(StateChangelogWriter<?> writer, KeyGroupRange keyGroups) {
        this.writer = writer;
        this.keyGroups = keyGroups;
    }

    @Override
    public DataOutputView beginChange(int changeKeyGroup) {
        Preconditions.checkArgument(
                keyGroups.contains(changeKeyGroup),
                "Key group %s is not of this writer's %s.",
                changeKeyGroup,
                keyGroups);
        open(Open.CHANGE);
        keyGroup = changeKeyGroup;
        return buffer;
    }

    @Override
    public DataOutputView beginMetadata() {
        open(Open.METADATA);
        return buffer;
    }

    private void open(Open kind) {
        Preconditions.checkState(open == Open.NOTHING, "A %s record is open already.", open);
        open = kind;
    }

    @Override
    public void endRecord() throws IOException {
        Open ended = open;
        Preconditions.checkState(ended != Open.NOTHING, "No record is open.");
        byte[] record = buffer.getCopyOfBuffer();
        dropRecord();
        if (ended == Open.METADATA) {
            writer.appendMeta(record);
        } else {
            writer.append(keyGroup, record);
        }
    }

    @Override
    public void dropRecord() {
        if (buffer.getSharedBuffer().length > MAX_KEPT_BYTES) {
            buffer = new DataOutputSerializer(INITIAL_BYTES);
        }
        buffer.clear();
        open = Open.NOTHING;
    }
}
