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
package io.dstl.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.read.UncachedSource;
import io.dstl.tools.inspect.LogWalk.ChangeSink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogWalkTest {
    private static final int LAST = Records.KEY_GROUPS - 1;

    @TempDir private Path root;

    private final List<String> seen = new ArrayList<>();
    private final List<String> damaged = new ArrayList<>();
    private WrittenLog written;

    @BeforeEach
    void aLog() {
        written = new WrittenLog(root, 0);
    }

    @Test
    void afterAChangeOfParallelismEachHandleHasItsOwnKeyGroupsAndStates() throws IOException {
        String low = keyBelow(64, true);
        String high = keyBelow(64, false);
        StreamStateHandle one =
                written.plain(
                        "1", named(1, "a"), Records.set(1, low, "1"), Records.set(1, high, "1"));
        StreamStateHandle two =
                written.plain(
                        "2", named(1, "b"), Records.set(1, low, "2"), Records.set(1, high, "2"));

        walk(
                handle(KeyGroupRange.of(0, 63), WrittenLog.log(1, one, 0L)),
                handle(KeyGroupRange.of(64, LAST), WrittenLog.log(1, two, 0L)));

        assertThat(seen).containsExactly("a", "a SET " + low, "b", "b SET " + high);
        assertThat(damaged).isEmpty();
    }

    @Test
    void goesOnBehindASetThatCantBeRead() throws IOException {
        StreamStateHandle one = written.plain("1", named(1, "a"), Records.set(1, "x", "1"));
        StreamStateHandle two = written.plain("2", Records.set(1, "y", "1"));

        walk(handle(WrittenLog.ALL, WrittenLog.log(1, one, 0L, one, 5_000L, two, 0L)));

        assertThat(seen).containsExactly("a", "a SET x", "a SET y");
        assertThat(damaged).hasSize(1);
        assertThat(damaged.get(0)).endsWith("@5000");
    }

    private static byte[] named(int id, String name) {
        return Records.describe(id, name, StateDescriptor.Type.VALUE, StringSerializer.INSTANCE);
    }

    private static String keyBelow(int group, boolean below) {
        for (int i = 0; ; i++) {
            if (Records.groupOf("key" + i) < group == below) {
                return "key" + i;
            }
        }
    }

    private static ChangelogStateBackendHandle handle(
            KeyGroupRange keyGroups, ChangelogStateHandle log) {
        return new ChangelogStateBackendHandleImpl(List.of(), List.of(log), keyGroups, 7, 1, 0);
    }

    private void walk(ChangelogStateBackendHandle... handles) throws IOException {
        ChangeSink sink =
                new ChangeSink() {
                    @Override
                    public void change(
                            DescribedState state, ChangeOp op, int keyGroup, byte[] record)
                            throws IOException {
                        String key =
                                new ValueText(record, RecordLayout.SCOPE_AT)
                                        .next(Optional.of(StringSerializer.INSTANCE));
                        seen.add(state.name() + " " + op + " " + key.replace("\"", ""));
                    }

                    @Override
                    public void metadata(DescribedState state, byte[] record) {
                        seen.add(state.name());
                    }
                };
        LogWalk.Listener listener =
                new LogWalk.Listener() {
                    @Override
                    public void setDone(SegmentLocation set) {}

                    @Override
                    public void damaged(SegmentLocation set, Exception cause) {
                        damaged.add(set.toString());
                    }
                };
        new LogWalk(new UncachedSource(segment -> segment.openInputStream()), sink, listener)
                .walk(List.of(handles));
    }
}
