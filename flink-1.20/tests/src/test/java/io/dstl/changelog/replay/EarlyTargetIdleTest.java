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

import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.StateId;
import io.dstl.changelog.record.StateMetadata;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A replay that has its first change set, while the rest of the log is held back. */
class EarlyTargetIdleTest extends EarlyTargetFixture {
    /** What is needed of the delegate for the task to go on is done while nothing is replayed. */
    @Test
    void letsTheTaskGoOnWhileTheLogIsWaitedFor() throws Exception {
        openReleasing(1, MUCH);
        beginWithAState();
        assertThat(released).isZero();

        target.whileIdle();
        assertThat(released).isEqualTo(1);
        assertThat(readOn).as("before the task runs").isZero();

        target.complete();
        assertThat(reclaimed).isZero();
    }

    private void beginWithAState() throws Exception {
        target.begin(true);
        target.bind(
                StateMetadata.keyValue(
                        StateId.of((short) 0),
                        HandWrittenLog.metaInfo(
                                "v",
                                "VALUE",
                                LONGS.snapshotConfiguration(),
                                LONGS.snapshotConfiguration()),
                        Optional.empty(),
                        Optional.empty()),
                target.keyGroups());
    }

    /** The state is bound to the delegate at once, and no change of it follows. */
    @Test
    void letsTheTaskGoOnIfTheDelegateWasFaster() throws Exception {
        openReleasing(0, MUCH);
        beginWithAState();
        assertThat(released).isZero();

        target.whileIdle();

        assertThat(released).isEqualTo(1);
    }

    /** Nothing else would come, and nobody would wake it again. */
    @Test
    void readsOnIfTheFirstChangeSetSaysNothing() throws Exception {
        openReleasing(0, MUCH);
        target.begin(true);

        target.whileIdle();

        assertThat(released).isZero();
        assertThat(readOn).isEqualTo(1);
    }

    @Test
    void readsNothingBeforeTheDelegateIsThere() throws Exception {
        openReleasing(NEVER, MUCH);
        beginWithAState();

        target.whileIdle();

        assertThat(released).isZero();
        assertThat(readOn).isZero();
    }

    /** The next change tells of the failure. */
    @Test
    void readsOnIfTheStatesCannotBeRegistered() throws Exception {
        mayRelease = true;
        open(DelegateKind.HEAP, 1, MUCH);
        beginWithAState();

        target.whileIdle();

        assertThat(readOn).isEqualTo(1);
        assertThatThrownBy(target::complete).satisfies(EarlyTargetFixture::asksForAnotherReplay);
    }
}
