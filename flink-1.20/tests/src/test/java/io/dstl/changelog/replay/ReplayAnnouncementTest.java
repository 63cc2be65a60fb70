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
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replay tells the storage what it will read, so that it can be fetched ahead. */
class ReplayAnnouncementTest extends ReplayTest {
    private static final KeyGroupRange UPPER = KeyGroupRange.of(8, 15);

    private ChangelogStateBackendHandle whole;

    @BeforeEach
    void writeTwoChangeSets() throws Exception {
        HandWrittenLog first = oneValue();
        HandWrittenLog second = new HandWrittenLog().change(SET, 0, 2, 10, number(2));
        whole = handle(segment("one", first), segment("two", second));
    }

    /** Reads from memory, and takes down what it is told. */
    private static final class Told implements LogSource {
        final ReplayFixture.SegmentSource segments = new ReplayFixture.SegmentSource();
        final List<String> events = new ArrayList<>();
        int failAt = Integer.MAX_VALUE;

        @Override
        public CloseableIterator<StateChange> open(
                ChangelogStateHandle log, KeyGroupRange keyGroups) throws IOException {
            events.add("open " + keyGroups.prettyPrintInterval());
            if (segments.opened() == failAt) {
                throw new IOException("unreachable");
            }
            return segments.open(log, keyGroups);
        }

        @Override
        public Ahead announce(List<LogSource.Part> parts) {
            for (LogSource.Part part : parts) {
                events.add("announced " + part.keyGroups().prettyPrintInterval());
            }
            return new Ahead() {
                @Override
                public void done(ChangelogStateHandle log) {
                    events.add("done");
                }

                @Override
                public void close() {
                    events.add("closed");
                }
            };
        }
    }

    @Test
    void announcesItsOwnKeyGroupsOfEachChangeSetAndReportsEachRead() throws Exception {
        Told source = new Told();
        try (ReplayFixture fixture = ReplayFixture.of(DelegateKind.HEAP, directory, UPPER)) {
            fixture.replayFrom(source)
                    .replay(List.of((ChangelogStateBackendHandle) whole.getIntersection(UPPER)));
        }
        assertThat(source.events)
                .containsExactly(
                        "announced [8, 15]",
                        "announced [8, 15]",
                        "open [8, 15]",
                        "done",
                        "open [8, 15]",
                        "done",
                        "closed");
    }

    @Test
    void endsTheFetchingWhenItFails() throws Exception {
        Told source = new Told();
        source.failAt = 1;
        try (ReplayFixture fixture = ReplayFixture.of(DelegateKind.HEAP, directory)) {
            assertThatThrownBy(() -> fixture.replayFrom(source).replay(List.of(whole)))
                    .isInstanceOf(LogReplayException.class)
                    .hasRootCauseMessage("unreachable");
        }
        assertThat(source.events).endsWith("done", "open [0, 15]", "closed");
    }
}
