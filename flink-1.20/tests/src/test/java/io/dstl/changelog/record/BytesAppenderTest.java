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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.mailbox.SyncMailboxExecutor;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryStateChangelogStorage;
import org.junit.jupiter.api.Test;

class BytesAppenderTest {
    private static final KeyGroupRange RANGE = KeyGroupRange.of(4, 7);

    private final StateChangelogWriter<InMemoryChangelogStateHandle> writer =
            new InMemoryStateChangelogStorage()
                    .createWriter("operator", RANGE, new SyncMailboxExecutor());
    private final BytesAppender appender = new BytesAppender(writer, RANGE);

    @Test
    void appendsEachRecordAsBytesOfItsOwn() throws Exception {
        appender.beginMetadata().writeUTF("about the state");
        appender.endRecord();
        appender.beginChange(4).writeUTF("first");
        appender.endRecord();
        appender.beginChange(7).writeUTF("second");
        appender.endRecord();

        assertThat(appended()).containsExactly("-1 about the state", "4 first", "7 second");
    }

    @Test
    void forgetsADroppedRecord() throws Exception {
        appender.beginChange(4).writeUTF("dropped");
        appender.dropRecord();
        appender.dropRecord();
        appender.beginChange(5).writeUTF("kept");
        appender.endRecord();

        assertThat(appended()).containsExactly("5 kept");
    }

    @Test
    void goesOnAfterARecordLargerThanTheBufferItKeeps() throws Exception {
        appender.beginChange(4).write(new byte[3 << 20]);
        appender.endRecord();
        appender.beginChange(5).writeUTF("small");
        appender.endRecord();

        List<StateChange> changes = changes();
        assertThat(changes.get(0).getChange()).hasSize(3 << 20);
        assertThat(changes.get(1).getChange()).hasSize(2 + "small".length());
    }

    @Test
    void holdsItsCallerToTheProtocol() {
        assertThatThrownBy(appender::endRecord).isInstanceOf(IllegalStateException.class);
        appender.beginChange(4);
        assertThatThrownBy(() -> appender.beginChange(4)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(appender::beginMetadata).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void rejectsAKeyGroupOfAnotherSubtask() {
        assertThatThrownBy(() -> appender.beginChange(8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Key group 8");
    }

    private List<StateChange> changes() throws Exception {
        return writer.persist(writer.initialSequenceNumber(), 1L)
                .get()
                .getJobManagerOwnedSnapshot()
                .getChanges();
    }

    private List<String> appended() throws Exception {
        List<String> texts = new ArrayList<>();
        for (StateChange change : changes()) {
            texts.add(change.getKeyGroup() + " " + text(change));
        }
        return texts;
    }

    private static String text(StateChange change) throws IOException {
        return new DataInputDeserializer(change.getChange()).readUTF();
    }
}
