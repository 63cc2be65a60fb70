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

import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever user code does, a replay of its log into an empty delegate comes to the same content.
 */
class ReplayRoundTripTest {
    private static final int RUNS = 12;
    private static final int CHANGES = 400;
    private static final List<Integer> KEYS =
            IntStream.range(0, 12).boxed().collect(Collectors.toList());

    @TempDir private Path directory;

    @ParameterizedTest
    @EnumSource
    void comesToTheSameContent(DelegateKind kind) throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            roundTrip(kind, seed);
        }
    }

    private void roundTrip(DelegateKind kind, long seed) throws Exception {
        Random random = new Random(seed);
        List<ChangelogStateHandle> logs = new ArrayList<>();
        List<String> expected = record(kind, random, logs);

        try (ReplayFixture fixture = ReplayFixture.of(kind, emptyDirectory())) {
            fixture.replay(handle(DelegateKind.ALL, logs.toArray(new ChangelogStateHandle[0])));
            ReplayedTarget target = new ReplayedTarget(fixture);
            List<String> replayed =
                    StateContent.of(fixture.delegate, target, new EveryState(target));

            assertThat(replayed)
                    .as("content replayed into %s, seed %s", kind, seed)
                    .containsExactlyElementsOf(expected);
        }
    }

    /** Makes changes, adds their logs to the list, and returns what they come to. */
    private List<String> record(DelegateKind kind, Random random, List<ChangelogStateHandle> logs)
            throws Exception {
        try (RecordedTarget recorded =
                new RecordedTarget(kind.create(emptyDirectory(), DelegateKind.ALL, () -> 0L))) {
            EveryState states = new EveryState(recorded);
            RandomChanges changes = new RandomChanges(recorded, states, KEYS, random);
            List<byte[]> changeSets = new ArrayList<>();
            for (int i = 0; i < CHANGES; i++) {
                changes.next();
                switch (random.nextInt(40)) {
                    case 0:
                        changeSets.add(recorded.seal());
                        break;
                    case 1:
                        recorded.startNewRound();
                        break;
                    case 2:
                        logs.add(toLog(changeSets));
                        break;
                    default:
                        // goes on with the same change set
                }
            }
            changeSets.add(recorded.seal());
            logs.add(toLog(changeSets));
            return StateContent.of(recorded.delegate, recorded, states);
        }
    }

    private static ChangelogStateHandle toLog(List<byte[]> changeSets) throws Exception {
        ChangelogStateHandle log =
                log(
                        DelegateKind.ALL,
                        segment(ReplayFixture.VERIFIED, changeSets.toArray(new byte[0][])));
        changeSets.clear();
        return log;
    }

    private Path emptyDirectory() throws Exception {
        return Files.createTempDirectory(directory, "delegate");
    }
}
