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

import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.replay.ReplayFixture.SegmentSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

/** What several logs say of the same states. */
class LogBeginningsTest {
    private final SegmentSource segments = new SegmentSource();
    private final CloseableRegistry cancellation = new CloseableRegistry();

    private boolean agree(ChangelogStateHandle[]... handles) {
        boolean agree = beginnings(handles).agree();
        assertThat(segments.open()).isZero();
        return agree;
    }

    /** One handle for each array of logs. */
    private LogBeginnings beginnings(ChangelogStateHandle[]... handles) {
        List<ChangelogStateBackendHandle> all = new ArrayList<>();
        for (ChangelogStateHandle[] logs : handles) {
            all.add(handle(DelegateKind.ALL, logs));
        }
        return new LogBeginnings(
                "windows", all, segments, getClass().getClassLoader(), cancellation);
    }

    private static ChangelogStateHandle[] logs(ChangelogStateHandle... logs) {
        return logs;
    }

    private static ChangelogStateHandle of(HandWrittenLog... changeSets) throws IOException {
        return log(DelegateKind.ALL, segment(VERIFIED, changeSets));
    }

    private static HandWrittenLog state(String name, Type kind, TypeSerializer<?> values)
            throws IOException {
        return new HandWrittenLog().state(0, name, kind, LONGS, values);
    }

    private static HandWrittenLog longs() throws IOException {
        return state("v", Type.VALUE, LONGS);
    }

    @Test
    void readsNothingOfOneLog() throws Exception {
        assertThat(agree(logs(of(longs(), longs())))).isTrue();
        assertThat(segments.opened()).isZero();
    }

    @Test
    void severalLogsOfAHandleGoOnWithTheSameState() throws Exception {
        boolean agree =
                agree(
                        logs(
                                of(longs()),
                                of(longs().change(SET, 0, 1, 10, number(1)), longs()),
                                of(longs())));

        assertThat(agree).isTrue();
        assertThat(segments.opened()).as("the first change sets").isEqualTo(3);
    }

    @Test
    void theLogsOfSeveralHandlesGoOnWithTheSameState() throws Exception {
        assertThat(agree(logs(of(longs())), logs(), logs(of(longs())))).isTrue();
        assertThat(segments.opened()).isEqualTo(2);
    }

    /** A log without a change set says nothing, and is not replayed. */
    @Test
    void anEmptyLogIsPassedOver() throws Exception {
        assertThat(agree(logs(of(), of(longs()), of(), of(longs())))).isTrue();
        assertThat(segments.opened()).isEqualTo(2);
    }

    @Test
    void oneHasAnotherSerializer() throws Exception {
        assertThat(agree(logs(of(longs()), of(longs()), of(state("v", Type.VALUE, STRINGS)))))
                .isFalse();
    }

    /** Its changes may be of no key group's, and merge namespaces, which no running task allows. */
    @Test
    void oneIsOfFlinksOwnBackend() throws Exception {
        segments.ungrouped();
        assertThat(agree(logs(of(longs()), of(longs())))).isFalse();
    }

    @Test
    void oneHasAnotherKind() throws Exception {
        assertThat(agree(logs(of(longs()), of(state("v", Type.REDUCING, LONGS))))).isFalse();
    }

    /** It may be described later, with whatever schema. */
    @Test
    void oneDoesNotBeginWithTheState() throws Exception {
        assertThat(agree(logs(of(longs()), of(state("w", Type.VALUE, LONGS), longs())))).isFalse();
    }

    @Test
    void moreStatesDoNotMatter() throws Exception {
        assertThat(agree(logs(of(longs()), of(longs().state(1, "w", Type.VALUE, LONGS, LONGS)))))
                .isTrue();
    }

    /** Others may have another schema from one log to the next. */
    @Test
    void agreesOnWhatAllBeginWith() throws Exception {
        HandWrittenLog withAnother = longs().state(1, "w", Type.VALUE, LONGS, LONGS);
        LogBeginnings beginnings = beginnings(logs(of(longs(), withAnother), of(longs())));
        assertThat(beginnings.agree()).isTrue();

        assertThat(beginnings.haveAgreedOn(Set.of("v"))).isTrue();
        assertThat(beginnings.haveAgreedOn(Set.of("v", "w"))).isFalse();
    }

    @Test
    void oneWriterAgreesWithItself() throws Exception {
        LogBeginnings beginnings = beginnings(logs(of(longs())));
        assertThat(beginnings.agree()).isTrue();

        assertThat(beginnings.haveAgreedOn(Set.of("v", "w"))).isTrue();
    }

    @Test
    void oneCannotBeRead() throws Exception {
        HandWrittenLog damaged = new HandWrittenLog().raw(HandWrittenLog.META_GROUP, out -> {});

        assertThat(agree(logs(of(longs()), of(damaged)))).isFalse();
    }

    @Test
    void closingEndsIt() throws Exception {
        LogBeginnings beginnings = beginnings(logs(of(longs()), of(longs())));
        beginnings.close();

        assertThatThrownBy(beginnings::agree).isInstanceOf(CancelTaskException.class);
    }

    @Test
    void aCancellationOfTheTaskEndsIt() throws Exception {
        LogBeginnings beginnings = beginnings(logs(of(longs()), of(longs())));
        cancellation.close();

        assertThatThrownBy(beginnings::agree).isInstanceOf(CancelTaskException.class);
        assertThatThrownBy(this::beginnings).isInstanceOf(CancelTaskException.class);
    }

    @Test
    void manyLogsAreNotWorthIt() throws Exception {
        ChangelogStateHandle[] logs = new ChangelogStateHandle[16];
        Arrays.fill(logs, of(longs()));
        ChangelogStateBackendHandle few = handle(DelegateKind.ALL, logs);
        ChangelogStateBackendHandle oneMore = handle(DelegateKind.ALL, logs[0]);

        assertThat(BackgroundReplay.suits(List.of(few))).isTrue();
        assertThat(BackgroundReplay.suits(List.of(few, oneMore))).isFalse();
    }

    /** Flink gives a part of a log no size, and the log would count as short whatever it has. */
    @Test
    void aPartOfALogCountsByItsSegments() {
        StreamStateHandle segment = new ByteStreamStateHandle("segment", new byte[100]);
        KeyGroupRange all = new KeyGroupRange(0, 9);
        ChangelogStateHandleStreamImpl whole =
                new ChangelogStateHandleStreamImpl(
                        List.of(Tuple2.of(segment, 0L), Tuple2.of(segment, 50L)),
                        all,
                        60,
                        60,
                        "filesystem");
        KeyGroupRange half = new KeyGroupRange(0, 4);
        ChangelogStateHandle part = (ChangelogStateHandle) whole.getIntersection(half);

        assertThat(contentBytes(false, handle(all, whole))).isEqualTo(60);
        assertThat(contentBytes(true, handle(all, whole))).as("compressed").isEqualTo(60);
        assertThat(contentBytes(false, handle(half, part), handle(half, part))).isEqualTo(100);
    }

    /** They may have more than a task can replay while a checkpoint waits, and seem to be short. */
    @Test
    void aPartOfALogCountsByAllThatItsCompressedSegmentsMayHave() throws Exception {
        byte[] content = new byte[1 << 20];
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        stored.write(1);
        try (OutputStream out =
                SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(stored)) {
            out.write(content);
        }
        StreamStateHandle segment = new ByteStreamStateHandle("segment", stored.toByteArray());
        ChangelogStateHandle whole = log(new KeyGroupRange(0, 9), List.of(Tuple2.of(segment, 0L)));
        KeyGroupRange half = new KeyGroupRange(0, 4);
        ChangelogStateHandle part = (ChangelogStateHandle) whole.getIntersection(half);

        assertThat(contentBytes(false, handle(half, part))).isLessThan(content.length / 20);
        assertThat(contentBytes(true, handle(half, part)))
                .isBetween((long) content.length, content.length * 11L / 10);
    }

    private static long contentBytes(boolean compressed, ChangelogStateBackendHandle... handles) {
        return BackgroundReplay.contentBytes(List.of(handles), compressed);
    }
}
