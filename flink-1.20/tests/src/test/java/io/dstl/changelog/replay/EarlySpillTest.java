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

import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.bulk.Bytes;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What was spilled before the delegate is there reaches it in order, and on top of what it
 * restores.
 */
class EarlySpillTest extends EarlyTargetFixture {
    @ParameterizedTest
    @ValueSource(ints = {2000, NEVER})
    void spillsWhatThereIsNoRoomFor(int questions) throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            ChangelogStateBackendHandle base = randomLog(100 + seed, 700);
            ChangelogStateBackendHandle log = randomLog(seed, 700);
            List<String> expected = contentAfter(base, log);

            open(questions, LITTLE);
            fixture.replay(base);
            replay(log);

            assertThat(content()).as("seed %s", seed).containsExactlyElementsOf(expected);
            assertThat(spill.files()).isPositive();
            assertThat(awaited).isEqualTo(1);
            close();
        }
    }

    /** RocksDB slows down with the number of files that overlap. */
    @Test
    void waitsForTheDelegateWhenThereAreManyFiles() throws Exception {
        int most = EarlyTarget.MOST_FILES - 1;
        int mostOfAState = EarlyTarget.MOST_FILES_OF_A_STATE - 1;
        assertThat(changesBeforeTheDelegate(most + 1, mostOfAState)).isZero();
        assertThat(changesBeforeTheDelegate(most, mostOfAState + 1)).isZero();
        assertThat(changesBeforeTheDelegate(most, mostOfAState)).isPositive();
    }

    private long changesBeforeTheDelegate(int files, int ofAState) throws Exception {
        ChangelogStateBackendHandle log = randomLog(1, 700);
        List<String> expected = contentAfter(log);
        open(NEVER, MUCH);
        spill = new SpillWithFiles(spill, files, ofAState);
        createTarget(INTS, NEVER);
        long[] changes = {-1};
        whileAwaited = () -> changes[0] = replay.changes();
        replay(log);

        assertThat(content()).containsExactlyElementsOf(expected);
        assertThat(awaited).isOne();
        close();
        return changes[0];
    }

    /** As if it had that many files. */
    private static final class SpillWithFiles implements DelegateSupport.Spill {
        private final DelegateSupport.Spill real;
        private final int files;
        private final int ofAState;

        SpillWithFiles(DelegateSupport.Spill real, int files, int ofAState) {
            this.real = real;
            this.files = files;
            this.ofAState = ofAState;
        }

        @Override
        public int mostFilesOfAState() {
            return ofAState;
        }

        @Override
        public RawState.RawWriter newWriter() throws IOException {
            return real.newWriter();
        }

        @Override
        public int files() {
            return files;
        }

        @Override
        public void moveTo(UnaryOperator<RawState> states) throws IOException {
            real.moveTo(states);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    /** The delegate may have room where this has none. */
    @Test
    void isReplayedAgainWhereNothingCanBeSpilled() throws Exception {
        open(NEVER, LITTLE);
        Path file = Files.createFile(emptyDirectory().resolve("file"));
        spill = DelegateSupport.get().newSpill(file, Cancellation.of(fixture.cancellation));
        createTarget(INTS, NEVER);

        assertThatThrownBy(() -> replay(randomLog(1, 700)))
                .hasMessageContaining(file.toString())
                .satisfies(EarlyTargetFixture::asksForAnotherReplay);

        assertThat(awaited).isZero();
    }

    /** The file of what was cleared is written by Java, which names neither disk nor remedy. */
    @ParameterizedTest
    @ValueSource(strings = {"/dev/full", "/missing/file"})
    void namesTheDiskThatTakesNothing(String target) throws Exception {
        open(NEVER, MUCH);
        RawState raw =
                DelegateSupport.get()
                        .rawState(
                                (InternalKvState<?, ?, ?>)
                                        fixture.state(
                                                new MapStateDescriptor<>("m", LONGS, LONGS), 1, 10))
                        .orElseThrow();
        Path parent = emptyDirectory();
        spill = DelegateSupport.get().newSpill(parent, Cancellation.of(fixture.cancellation));
        try (RawState.RawWriter writer = spill.newWriter()) {
            Path directory = PathsBelow.directories(parent).get(1);
            Files.createSymbolicLink(directory.resolve("0.sst"), Path.of(target));

            assertThatThrownBy(
                            () -> {
                                writer.deleteBelow(raw, new Bytes().set(new byte[1], 0, 1));
                                writer.flush();
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("has room");
        }
    }
}
