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

import static io.dstl.changelog.testing.Serializers.INTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.testing.EveryState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterEach;

/** A replay that begins before its delegate is there, which comes when the test says so. */
abstract class EarlyTargetFixture extends ReplayTest {
    static final int RUNS = 2;
    static final long MUCH = 1 << 22;

    /** What a table begins with, and little more. */
    static final long LITTLE = 100_000;

    static final int NEVER = Integer.MAX_VALUE;

    BulkReplay early;
    DelegateSupport.Spill spill;
    EarlyTarget<Integer> target;
    LogReplay replay;
    int awaited;

    /** States that the logs go on with as they are. */
    Optional<Set<String>> agreed = Optional.empty();

    /** Whether the task may go on, and how often it was let, and the delegate asked for again. */
    boolean mayRelease;

    int released;
    int readOn;
    int reclaimed;

    @AfterEach
    @Override
    void close() throws Exception {
        if (fixture != null) {
            early.close();
            spill.close();
        }
        super.close();
    }

    Runnable whileAwaited = () -> {};
    Runnable whileReleased = () -> {};
    Runnable whileAsked = () -> {};

    void open(int questions, long memory) throws Exception {
        open(DelegateKind.ROCKSDB, questions, memory);
    }

    void open(DelegateKind kind, int questions, long memory) throws Exception {
        open(kind, questions, memory, INTS);
    }

    /** Into RocksDB; the task may go on. */
    void openReleasing(int questions, long memory) throws Exception {
        mayRelease = true;
        open(questions, memory);
    }

    /**
     * @param questions after which the delegate is there, unless it is waited for before
     */
    void open(DelegateKind kind, int questions, long memory, TypeSerializer<Integer> keys)
            throws Exception {
        fixture = ReplayFixture.inBulk(kind, emptyDirectory(), BulkSettings.of(3, 3 * MUCH));
        early =
                new BulkReplay(
                        BulkSettings.of(1, memory),
                        DelegateKind.ALL,
                        fixture.cancellation,
                        fixture.clock);
        spill =
                DelegateSupport.get()
                        .newSpill(emptyDirectory(), Cancellation.of(fixture.cancellation));
        createTarget(keys, questions);
    }

    void createTarget(TypeSerializer<Integer> keys, int questions) {
        awaited = 0;
        released = 0;
        readOn = 0;
        reclaimed = 0;
        int[] left = {questions};
        target =
                new EarlyTarget<>(
                        new LoggedLayout.Keys(keys, DelegateKind.KEY_GROUPS, true),
                        early,
                        spill,
                        new EarlyTarget.RestoringTask<>() {
                            @Override
                            public boolean isBaseRestored() {
                                whileAsked.run();
                                return awaited > 0 || left[0]-- <= 0;
                            }

                            @Override
                            public DelegateTarget<Integer> awaitBase() {
                                awaited++;
                                whileAwaited.run();
                                return fixture.target;
                            }

                            @Override
                            public boolean mayRunBeside() {
                                return mayRelease;
                            }

                            @Override
                            public boolean keepTheirSchemas(Set<String> states) {
                                return agreed.map(all -> all.containsAll(states)).orElse(true);
                            }

                            @Override
                            public void readOn() {
                                readOn++;
                            }

                            @Override
                            public void runBeside(Map<String, StateMetadata> registered) {
                                released++;
                                whileReleased.run();
                            }

                            @Override
                            public void awaitBlocked() {
                                reclaimed++;
                            }
                        },
                        fixture.clock);
    }

    void replay(ChangelogStateBackendHandle... logs) throws IOException {
        replay =
                new LogReplay(
                        target,
                        fixture.segments,
                        getClass().getClassLoader(),
                        fixture.cancellation,
                        fixture.clock,
                        fixture.rate);
        replay.replay(List.of(logs));
    }

    List<String> content(String... states) throws Exception {
        return fixture.content(states.length == 0 ? EveryState.NAMES : List.of(states));
    }

    List<String> contentAfter(ChangelogStateBackendHandle... logs) throws Exception {
        return contentAfter(BulkSettings.off(), logs);
    }

    static void asksForAnotherReplay(Throwable failure) {
        assertThat(ExceptionUtils.findThrowable(failure, ReplayTarget.ReplayAgainException.class))
                .isPresent();
    }

    static void asksForNoOtherReplay(Throwable failure) {
        assertThat(ExceptionUtils.findThrowable(failure, ReplayTarget.ReplayAgainException.class))
                .isEmpty();
    }
}
