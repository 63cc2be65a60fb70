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
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.EveryState;
import io.dstl.fs.DstlStorageFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The logs of a job of two subtasks that Flink 1.20.5's own backend and storage wrote, replayed
 * from its segments; the README beside them says how they were made.
 */
class StockLogReplayTest extends ReplayTest {
    private static final KeyGroupRange LOWER = KeyGroupRange.of(0, 7);
    private static final KeyGroupRange UPPER = KeyGroupRange.of(8, 15);
    private static final KeyGroupRange MIDDLE = KeyGroupRange.of(4, 11);

    static Stream<Arguments> delegatesAndLogs() {
        return Arrays.stream(DelegateKind.values())
                .flatMap(
                        kind ->
                                Stream.of("plain", "compressed")
                                        .map(stored -> Arguments.of(kind, stored)));
    }

    @ParameterizedTest
    @MethodSource("delegatesAndLogs")
    void scaledIn(DelegateKind kind, String stored) throws Exception {
        open(kind);
        replay(fixture, handle(LOWER, log(stored, LOWER)), handle(UPPER, log(stored, UPPER)));

        assertThat(fixture.everyState())
                .containsExactlyElementsOf(expected(stored, DelegateKind.ALL));
    }

    @ParameterizedTest
    @MethodSource("delegatesAndLogs")
    void rescaledAcross(DelegateKind kind, String stored) throws Exception {
        open(kind, MIDDLE);
        replay(
                fixture,
                intersect(handle(LOWER, log(stored, LOWER)), MIDDLE),
                intersect(handle(UPPER, log(stored, UPPER)), MIDDLE));

        assertThat(fixture.everyState()).containsExactlyElementsOf(expected(stored, MIDDLE));
    }

    /** Stock logs a merge as the names of namespaces; no later change overwrites the last ones. */
    @ParameterizedTest
    @MethodSource("delegatesAndLogs")
    void lastMergesWaitForTheirFunctions(DelegateKind kind, String stored) throws Exception {
        open(kind);
        replay(fixture, handle(LOWER, log(stored, LOWER)), handle(UPPER, log(stored, UPPER)));
        assertThat(fixture.target.leftovers().statesWithDeferredMerges())
                .containsExactly("aggregating", "reducing");

        assertThat(new EveryState(fixture.registration())).isNotNull();
        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private static void replay(ReplayFixture fixture, ChangelogStateBackendHandle... handles)
            throws Exception {
        try (StateChangelogStorageView<ChangelogStateHandleStreamImpl> storage =
                (StateChangelogStorageView<ChangelogStateHandleStreamImpl>)
                        new DstlStorageFactory().createStorageView(new Configuration())) {
            fixture.replayFrom(
                            (log, keyGroups) ->
                                    storage.createReader()
                                            .getChanges((ChangelogStateHandleStreamImpl) log))
                    .replay(Arrays.asList(handles));
        }
    }

    private static ChangelogStateBackendHandle intersect(
            ChangelogStateBackendHandle handle, KeyGroupRange keyGroups) {
        return (ChangelogStateBackendHandle) handle.getIntersection(keyGroups);
    }

    /** Each line of the list is a change set: first and last key group, segment, offset. */
    private static ChangelogStateHandleStreamImpl log(String stored, KeyGroupRange keyGroups)
            throws Exception {
        List<Tuple2<StreamStateHandle, Long>> parts = new ArrayList<>();
        for (String line : lines(stored, "logs.txt")) {
            String[] fields = line.split(" ");
            if (Integer.parseInt(fields[0]) == keyGroups.getStartKeyGroup()) {
                parts.add(Tuple2.of(segment(stored, fields[2]), Long.parseLong(fields[3])));
            }
        }
        return new ChangelogStateHandleStreamImpl(parts, keyGroups, 0L, 0L, "filesystem");
    }

    private static StreamStateHandle segment(String stored, String name) throws Exception {
        Path file = resource(stored, name);
        return new FileStateHandle(
                new org.apache.flink.core.fs.Path(file.toUri()), Files.size(file));
    }

    /** Lines of content name the state, the key, and the rest. */
    private static List<String> expected(String stored, KeyGroupRange keyGroups) throws Exception {
        return lines(stored, "content.txt").stream()
                .filter(
                        line ->
                                keyGroups.contains(
                                        HandWrittenLog.keyGroup(
                                                Integer.parseInt(line.split(" ")[1]))))
                .collect(Collectors.toList());
    }

    private static List<String> lines(String stored, String name)
            throws IOException, URISyntaxException {
        return Files.readAllLines(resource(stored, name));
    }

    private static Path resource(String stored, String name) throws URISyntaxException {
        URL url = StockLogReplayTest.class.getResource("stock/" + stored + "/" + name);
        assertThat(url).as(stored + "/" + name).isNotNull();
        return Path.of(url.toURI());
    }
}
