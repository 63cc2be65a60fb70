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
package io.dstl.changelog.replay;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;

/** Reads segments as the format says, with no code of the storage. Counts what is left open. */
final class SegmentSource implements LogSource {
    private int open;
    private int opened;

    int open() {
        return open;
    }

    int opened() {
        return opened;
    }

    @Override
    public CloseableIterator<StateChange> open(ChangelogStateHandle log, KeyGroupRange keyGroups)
            throws IOException {
        List<StateChange> changes = new ArrayList<>();
        for (Tuple2<StreamStateHandle, Long> part :
                ((ChangelogStateHandleStreamImpl) log).getHandlesAndOffsets()) {
            changes.addAll(read(part.f0, part.f1));
        }
        open++;
        opened++;
        return CloseableIterator.adapterForIterator(changes.iterator(), () -> open--);
    }

    private static List<StateChange> read(StreamStateHandle segment, long offset)
            throws IOException {
        List<StateChange> changes = new ArrayList<>();
        try (InputStream file = segment.openInputStream();
                DataInputStream in = new DataInputStream(content(file))) {
            for (long skipped = 0; skipped < offset; skipped++) {
                in.readByte();
            }
            int groups = in.readInt();
            for (int group = 0; group < groups; group++) {
                int count = in.readInt();
                int keyGroup = in.readInt();
                for (int i = 0; i < count; i++) {
                    byte[] record = new byte[in.readInt()];
                    in.readFully(record);
                    changes.add(
                            keyGroup == HandWrittenLog.META_GROUP
                                    ? StateChange.ofMetadataChange(record)
                                    : StateChange.ofDataChange(keyGroup, record));
                }
            }
        }
        return changes;
    }

    private static InputStream content(InputStream file) throws IOException {
        return file.read() == 1
                ? SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(file)
                : file;
    }
}
