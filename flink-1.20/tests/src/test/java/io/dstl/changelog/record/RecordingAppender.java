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

import io.dstl.fs.log.ChangeAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** Keeps the records that were ended, and holds its caller to the protocol of an appender. */
public final class RecordingAppender implements ChangeAppender {
    private final List<RecordedChange> records = new ArrayList<>();
    private final DataOutputSerializer view = new DataOutputSerializer(64);
    private OptionalInt keyGroup = OptionalInt.empty();
    private boolean open;
    private Runnable beforeSeal = () -> {};

    /** The records ended since the last call, in order. */
    public List<RecordedChange> take() {
        List<RecordedChange> taken = new ArrayList<>(records);
        records.clear();
        return taken;
    }

    /** The changes ended since the last call, in order, without the metadata between them. */
    public List<RecordedChange> takeChanges() {
        List<RecordedChange> taken = take();
        taken.removeIf(RecordedChange::isMetadata);
        return taken;
    }

    /** As the log does with what is open. */
    void seal() {
        beforeSeal.run();
    }

    @Override
    public void beforeSeal(Runnable action) {
        beforeSeal = action;
    }

    @Override
    public DataOutputView beginChange(int changeKeyGroup) {
        return begin(OptionalInt.of(changeKeyGroup));
    }

    @Override
    public DataOutputView beginMetadata() {
        return begin(OptionalInt.empty());
    }

    private DataOutputView begin(OptionalInt recordKeyGroup) {
        assertThat(open).as("a record is open").isFalse();
        open = true;
        keyGroup = recordKeyGroup;
        return view;
    }

    @Override
    public void endRecord() {
        assertThat(open).as("a record is open").isTrue();
        records.add(new RecordedChange(keyGroup, view.getCopyOfBuffer()));
        dropRecord();
    }

    @Override
    public void dropRecord() {
        view.clear();
        open = false;
    }
}
