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
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;

/** What the log line of a replay says. */
class ReplayTallyTest {
    @Test
    void countsWhatWasReplayed() throws Exception {
        ManualClock clock = new ManualClock();
        ReplayTally tally = new ReplayTally(clock);
        List<LoggedChangeSet> changeSets =
                LoggedChangeSet.of(
                        log(
                                DelegateKind.ALL,
                                segment("one", new byte[4], new byte[4]),
                                segment("two", new byte[4])),
                        DelegateKind.ALL);
        changeSets.forEach(tally::opened);
        tally.applied(StateChange.ofDataChange(3, new byte[10]));
        tally.applied(StateChange.ofMetadataChange(new byte[20]));
        tally.skipped();
        clock.advanceTime(15, TimeUnit.MILLISECONDS);

        assertThat(tally)
                .hasToString(
                        "2 changes (30 bytes) of 3 change sets in 2 segments in 15 ms,"
                                + " and left out 1 of other subtasks");
    }
}
