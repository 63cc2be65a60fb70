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
package io.dstl.tools.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** By hand: 4 tasks on 2 TaskManagers, 1,000 changes of 100 B a second of each. */
class SizingTest {
    private static final Offset<Double> EXACTLY = within(1e-6);

    private static Sizing with(String options) {
        return Sized.by(
                        ("--tasks 4 --task-managers 2 --rate 4000 --value-bytes 84 " + options)
                                .trim()
                                .split(" "))
                .sizing();
    }

    @Test
    void aTaskManagerStoresOneSegmentForEachCheckpoint() {
        Sizing sizing = with("--interval 2s");

        assertThat(sizing.recordedPerCheckpoint()).isEqualTo(200_000, EXACTLY);
        assertThat(sizing.bytesPerSecondOfTask()).isEqualTo(100_000, EXACTLY);
        assertThat(sizing.setsAhead()).isZero();
        assertThat(sizing.segmentsPerSecond()).isEqualTo(0.5, EXACTLY);
        assertThat(sizing.putsPerSecond()).isEqualTo(0.51, EXACTLY);
    }

    @Test
    void aTaskStoresAheadWhatReachesTheThreshold() {
        Sizing sizing = with("--preemptive-persist-threshold 30000 --hedge-share 0.5");

        assertThat(sizing.setsAhead()).isEqualTo(3);
        assertThat(sizing.lastSetBytes()).isEqualTo(10_000, EXACTLY);
        assertThat(sizing.segmentsPerSecond()).isEqualTo(2 * 3 + 1, EXACTLY);
        assertThat(sizing.putsPerSecond()).isEqualTo(10.5, EXACTLY);
    }

    @Test
    void asManyTasksShareASegmentAsFillIt() {
        assertThat(with("--batch-size 100000").segmentsPerSecond()).isEqualTo(2, EXACTLY);
        assertThat(with("--batch-size 100001").segmentsPerSecond()).isEqualTo(1, EXACTLY);
        assertThat(with("--batch-size 0").segmentsPerSecond()).isEqualTo(2, EXACTLY);
    }

    /**
     * Of 5 tasks on 3 TaskManagers two have 2, and one has 1: 100,000 bytes a checkpoint of each.
     */
    @Test
    void onlySomeTaskManagersHaveATaskMore() {
        Sizing sizing =
                Sized.by(
                                "--tasks 5 --task-managers 3 --rate 5000 --value-bytes 84 --batch-size 1"
                                        .split(" "))
                        .sizing();

        assertThat(sizing.segmentsPerSecond()).as("of the fullest").isEqualTo(2, EXACTLY);
        assertThat(sizing.ofJob(Sizing::segmentsPerSecond)).isEqualTo(5, EXACTLY);
        assertThat(sizing.ofJob(Sizing::meanLogBytes))
                .as("no segment is shared")
                .isEqualTo(5 * 1e5 * (605 / 2.0 + 7), EXACTLY);
    }

    /** The index of one of more than 1 MiB does not come with the rest. */
    @Test
    void aRestoreReadsASmallSegmentOnceAndALargeOneTwice() {
        assertThat(with("").restoreGets()).as("of 0.2 MB").isEqualTo(605 + 5 + 2, EXACTLY);
        assertThat(with("--interval 10s").restoreGets())
                .as("of 2 MB")
                .isEqualTo(2 * (605 + 5 + 20) / 10.0, EXACTLY);
        assertThat(with("--interval 10s --preemptive-persist-threshold 900000").restoreGets())
                .as("of each task 0.9 MB ahead, and of both 0.2 MB")
                .isEqualTo(3 * (605 + 5 + 20) / 10.0, EXACTLY);
        assertThat(with("--interval 10s --distinct-keys 400").restoreGets())
                .as("of 200 keys")
                .isEqualTo((605 + 5 + 20) / 10.0, EXACTLY);
    }

    /** Two tasks share the segment of a checkpoint, but not those that are stored ahead of it. */
    @Test
    void tasksThatComeFromDifferentTaskManagersReadASegmentEach() {
        assertThat(with("").restoreGetsOfMovedTasks()).isEqualTo(2 * (605 + 5 + 2), EXACTLY);
        assertThat(
                        with("--interval 10s --preemptive-persist-threshold 900000")
                                .restoreGetsOfMovedTasks())
                .isEqualTo(4 * (605 + 5 + 20) / 10.0, EXACTLY);
    }

    /** A set for each checkpoint and each that is stored ahead of it. */
    @Test
    void theMetadataNameEachChangeSetOfTheLog() {
        assertThat(with("").logMetadataBytes()).isEqualTo(126.0 * (605 + 5 + 2), EXACTLY);
        assertThat(with("--interval 10s").logMetadataBytes())
                .isEqualTo(12.6 * (605 + 5 + 20), EXACTLY);
        assertThat(with("--interval 10s --preemptive-persist-threshold 900000").logMetadataBytes())
                .isEqualTo(2 * 12.6 * (605 + 5 + 20), EXACTLY);
    }

    /** Of 1,000 changes of 1,000 keys at random 632 are the last of their key. */
    @Test
    void voidChangesAreNotStored() {
        Sizing sizing = with("--distinct-keys 4000");

        assertThat(sizing.storedShare()).isEqualTo(1 - 1 / Math.E, EXACTLY);
        assertThat(sizing.changesPerSecondOfTask()).isEqualTo(632.1205588, EXACTLY);
        assertThat(sizing.bytesPerSecondOfTask()).isEqualTo(63_212.05588, within(1e-4));
    }

    /** Half of the changes meet in a set of half the size: 500 of 1,000 keys. */
    @Test
    void aSetAheadHasFewerVoidChanges() {
        assertThat(with("--distinct-keys 4000 --preemptive-persist-threshold 50000").storedShare())
                .isEqualTo(2 * (1 - Math.exp(-0.5)), EXACTLY);
    }

    @Test
    void theSizeOfTheLogDecides() {
        Sizing sizing = with("--state-bytes 40000000 --log-size-factor 0.5");

        assertThat(sizing.trigger()).isEqualTo(Sizing.Trigger.LOG_SIZE);
        assertThat(sizing.limitBytes()).isEqualTo(5e6, EXACTLY);
        assertThat(sizing.secondsBetweenMaterializations()).isEqualTo(45 - 5, EXACTLY);
        assertThat(sizing.longestLogSeconds()).isEqualTo(50 - 5 + 5 + 2, EXACTLY);
        assertThat(sizing.longestLogBytes()).isEqualTo(5.2e6, EXACTLY);
        // Two tasks share a segment.
        assertThat(sizing.meanLogBytes()).isEqualTo(2 * 1e5 * (40 * 2 / 3.0 + 7), EXACTLY);
        assertThat(sizing.replaySeconds()).isEqualTo(0.104 + 0.52 / 3, EXACTLY);
    }

    @Test
    void thePauseDecidesWhereTheLogOutgrowsItsLimit() {
        Sizing sizing =
                with("--state-bytes 40000000 --log-size-factor 0.5 --materialization-time 20s");

        assertThat(sizing.trigger()).isEqualTo(Sizing.Trigger.PAUSE);
        assertThat(sizing.secondsBetweenMaterializations()).isEqualTo(3 * 20 + 20, EXACTLY);
        assertThat(sizing.longestLogSeconds()).isEqualTo(80 + 20 + 2, EXACTLY);
    }

    @Test
    void twoCheckpointsAreTheLeastPause() {
        assertThat(with("--state-bytes 40 --interval 1min").secondsBetweenMaterializations())
                .isEqualTo(2 * 60 + 5, EXACTLY);
    }

    /** Of 80 tasks with an upload of two minutes, eight cores take four at a time. */
    @Test
    void theTurnDecidesWhereManyTasksShareATaskManager() {
        String many = "--tasks 80 --task-managers 1 --rate 80000 --materialization-time 2min ";

        assertThat(with(many + "--cores 8").trigger()).isEqualTo(Sizing.Trigger.TURN);
        assertThat(with(many + "--cores 8").secondsBetweenMaterializations())
                .isEqualTo(20 * 120, EXACTLY);
        assertThat(with(many + "--cores 1").secondsBetweenMaterializations())
                .isEqualTo(80 * 120, EXACTLY);
        assertThat(with(many + "--cores 160").trigger()).isEqualTo(Sizing.Trigger.PERIOD);
    }

    @Test
    void thePeriodDecides() {
        Sizing sizing = with("--state-bytes 40000000 --log-size-factor 0.5 --materialize 30s");

        assertThat(sizing.trigger()).isEqualTo(Sizing.Trigger.PERIOD);
        assertThat(sizing.longestLogSeconds()).isEqualTo(30 + 5 + 5 + 2, EXACTLY);
    }

    @Test
    void thePeriodDecidesWhereNothingIsKnownOfTheState() {
        Sizing sizing = with("");

        assertThat(sizing.trigger()).isEqualTo(Sizing.Trigger.PERIOD);
        assertThat(sizing.limitBytes()).isInfinite();
        assertThat(sizing.secondsBetweenMaterializations()).isEqualTo(605, EXACTLY);
        assertThat(with("--state-bytes 1mb --log-size-factor 0").limitBytes()).isInfinite();
    }

    @Test
    void aTargetOfRecoveryDecides() {
        Sizing sizing = with("--state-bytes 400000000 --recovery-target 320ms");

        assertThat(sizing.trigger()).isEqualTo(Sizing.Trigger.RECOVERY_TARGET);
        assertThat(sizing.limitBytes()).isEqualTo(6e6, EXACTLY);
    }

    @Test
    void aSmallLogIsLeftAlone() {
        assertThat(with("--state-bytes 4000000").limitBytes()).isEqualTo(4 << 20, EXACTLY);
        assertThat(with("--recovery-target 1ms").limitBytes()).isEqualTo(4 << 20, EXACTLY);
        assertThat(with("--distinct-keys 4000 --log-size-min 0").limitBytes())
                .isEqualTo(1000 * 92 * 0.25, EXACTLY);
    }

    @Test
    void aTaskManagerTakesTenSecondsOfChangesInAnOutage() {
        assertThat(with("").maxInFlightBytes()).isEqualTo(100 << 20);
        assertThat(with("--rate 4000000").maxInFlightBytes()).isEqualTo(24L * (100 << 20));
        // Two of four tasks: 10 s of 2e10 changes with 24 bytes each beside their 100.
        assertThat(with("--rate 2e10").maxInFlightBytes())
                .isEqualTo((long) Math.ceil(10 * 1e10 * 124 / (100 << 20)) * (100 << 20));
    }

    @Test
    void heapIsOpenSetsAndTheLimitsAndOneCopy() {
        assertThat(with("").heapBytes())
                .isEqualTo(
                        2 * 13_002_342.4 + 209_715_200 + 2 * 26_214_400 + 209_715_200 / 1.24,
                        EXACTLY);
    }

    @Test
    void pricesAreOfAMonthOfThirtyDays() {
        Prices prices = Sized.by("--tasks", "1", "--rate", "1", "--value-bytes", "1").prices;

        assertThat(prices.putsPerMonth(1)).isEqualTo(12.96, EXACTLY);
        assertThat(prices.getsPerMonth(1)).isEqualTo(1.0368, EXACTLY);
        assertThat(prices.storagePerMonth(2e9)).isEqualTo(0.046, EXACTLY);
    }
}
