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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.store.HedgePolicy.HedgeBudget;
import io.dstl.store.LateRequests.Watch;
import io.dstl.store.PutLatencies.SizeClass;
import io.dstl.store.RetrySettings.HedgeSettings;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LateRequestsTest {

    private static final Duration USUAL = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final int BYTES = 100_000;

    private final ManualTimer timer = new ManualTimer();
    private final AtomicInteger cutOff = new AtomicInteger();
    private boolean throttled;

    /** By so much the alarms are late that are set already. */
    private Duration pause = Duration.ZERO;

    private LateRequests requests(double share, int saved) {
        HedgePolicy policy =
                new HedgePolicy(
                        new PutLatencies(),
                        new HedgeBudget(new HedgeSettings(share, saved)),
                        () -> throttled,
                        timer::nanos);
        return new LateRequests(policy, timer, () -> timer.nanos() + pause.toNanos());
    }

    private Watch send(LateRequests requests) {
        return send(requests, BYTES);
    }

    private Watch send(LateRequests requests, long bytes) {
        Watch watch = requests.watch(bytes, cutOff::incrementAndGet);
        watch.begun();
        return watch;
    }

    private void succeed(LateRequests requests, int count, long bytes) {
        for (int i = 0; i < count; i++) {
            try (Watch watch = send(requests, bytes)) {
                timer.advance(USUAL);
                watch.succeeded();
            }
        }
    }

    private LateRequests knowing(double share, int saved) {
        LateRequests requests = requests(share, saved);
        succeed(requests, PutLatencies.WARM_UP, BYTES);
        return requests;
    }

    @Test
    void aLateOneIsCutOffOnce() {
        try (Watch watch = send(knowing(1, 5))) {
            timer.advance(USUAL);
            assertThat(watch.isCutOff()).isFalse();

            timer.advance(LONG);
            assertThat(watch.isCutOff()).isTrue();
            watch.begun();
            timer.advance(LONG);
        }
        assertThat(cutOff).hasValue(1);
    }

    @Test
    void noneIsLateBeforeTheLeastPatience() {
        LateRequests requests = requests(1, 5);
        for (int i = 0; i < PutLatencies.WARM_UP; i++) {
            try (Watch watch = send(requests)) {
                timer.advance(Duration.ofMillis(20));
                watch.succeeded();
            }
        }
        try (Watch watch = send(requests)) {
            timer.advance(LateRequests.LEAST_PATIENCE.minusNanos(1));
            assertThat(watch.isCutOff()).isFalse();
            timer.advance(Duration.ofNanos(1));
            assertThat(watch.isCutOff()).isTrue();
        }
    }

    /** Its answer may lie in the socket. */
    @Test
    void aPauseOfTheProcessMakesNoneLate() {
        try (Watch watch = send(knowing(1, 5))) {
            pause = LateRequests.MOST_OVERDUE.plusNanos(1);
            timer.advance(USUAL.multipliedBy(2));
            assertThat(watch.isCutOff()).isFalse();

            timer.advance(USUAL.multipliedBy(2).minusNanos(1));
            assertThat(watch.isCutOff()).isFalse();
            timer.advance(Duration.ofNanos(1));
            assertThat(watch.isCutOff()).isTrue();
        }
    }

    @Test
    void oneThatGetsOnIsNotLate() {
        try (Watch watch = send(knowing(1, 5))) {
            for (int pieces = 0; pieces < 100; pieces++) {
                timer.advance(USUAL.multipliedBy(2).minusNanos(1));
                watch.progressed();
            }
            assertThat(watch.isCutOff()).isFalse();

            timer.advance(USUAL.multipliedBy(2));
            assertThat(watch.isCutOff()).isTrue();
        }
    }

    @Test
    void theLongestTimeWithoutProgressCounts() {
        LateRequests requests = requests(1, 5);
        for (int i = 0; i < PutLatencies.WARM_UP; i++) {
            try (Watch watch = send(requests)) {
                timer.advance(USUAL.dividedBy(2));
                watch.progressed();
                timer.advance(USUAL);
                watch.progressed();
                timer.advance(USUAL.dividedBy(2));
                watch.succeeded();
            }
        }
        try (Watch watch = send(requests)) {
            timer.advance(USUAL.multipliedBy(2).minusNanos(1));
            assertThat(watch.isCutOff()).isFalse();
            timer.advance(Duration.ofNanos(1));
            assertThat(watch.isCutOff()).isTrue();
        }
    }

    @Test
    void theTimeOfAnotherRequestCountsAnew() {
        try (Watch watch = send(knowing(1, 5))) {
            timer.advance(USUAL);
            watch.begun();
            timer.advance(USUAL);
            assertThat(watch.isCutOff()).isFalse();

            timer.advance(USUAL);
            assertThat(watch.isCutOff()).isTrue();
        }
    }

    @Test
    void nothingIsLateBetweenTwoRequests() {
        try (Watch watch = send(knowing(1, 5))) {
            watch.failed();
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();

            watch.begun();
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isTrue();
        }
    }

    @Test
    void filesAndSegmentsAreMeasuredApart() {
        HedgeSettings hedges = new HedgeSettings(1, 5);
        HedgePolicy segments =
                new HedgePolicy(
                        new PutLatencies(), new HedgeBudget(hedges), () -> false, timer::nanos);
        HedgePolicy files = segments.separate(hedges);
        for (int i = 0; i < PutLatencies.WARM_UP; i++) {
            files.took(SizeClass.UP_TO_1_MB, USUAL.toNanos());
        }
        assertThat(files.delay(SizeClass.UP_TO_1_MB)).isPresent();
        assertThat(segments.delay(SizeClass.UP_TO_1_MB)).isEmpty();
        assertThat(segments.separate(hedges).delay(SizeClass.UP_TO_1_MB)).isEmpty();
        assertThat(segments.separate(new HedgeSettings(0, 5)).takeHedge()).isFalse();
    }

    @Test
    void noneIsLateBeforeSomeHaveSucceeded() {
        LateRequests requests = requests(1, 5);
        succeed(requests, PutLatencies.WARM_UP - 1, BYTES);
        try (Watch watch = send(requests)) {
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();
        }
    }

    @Test
    void aPatientOneIsNeverLateAndDoesNotCount() {
        LateRequests requests = requests(1, 5);
        for (int i = 0; i < PutLatencies.WARM_UP; i++) {
            Watch patient = requests.patient();
            patient.begun();
            timer.advance(LONG);
            assertThat(patient.isCutOff()).isFalse();
            patient.succeeded();
        }
        try (Watch watch = send(requests, 0)) {
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();
        }
    }

    /** So failures that come fast do not make others late. */
    @Test
    void aFailureSaysNothing() {
        LateRequests requests = requests(1, 5);
        for (int i = 0; i < PutLatencies.WARM_UP; i++) {
            send(requests).close();
        }
        send(requests);
        timer.advance(LONG);

        assertThat(cutOff).hasValue(0);
    }

    /** If all take that long, they are not late. */
    @Test
    void whatWasCutOffCountsWithTheTimeThatItHad() {
        LateRequests requests = knowing(1, 5);
        for (int i = 0; i < 10 * PutLatencies.WARM_UP; i++) {
            try (Watch watch = send(requests)) {
                timer.advance(LONG);
            }
        }
        int before = cutOff.get();
        try (Watch watch = send(requests)) {
            timer.advance(USUAL.multipliedBy(2));

            assertThat(watch.isCutOff()).as("after %s others", before).isFalse();
        }
    }

    /** One that was answered and cut off at the same time is no fast one. */
    @Test
    void whatWasCutOffCountsOnce() {
        LateRequests requests = requests(1, 5);
        succeed(requests, PutLatencies.WARM_UP, BYTES);
        for (int i = 0; i < 10 * PutLatencies.WARM_UP; i++) {
            try (Watch watch = send(requests)) {
                timer.advance(LONG);
                watch.succeeded();
            }
        }
        try (Watch watch = send(requests)) {
            timer.advance(USUAL.multipliedBy(2));
            assertThat(watch.isCutOff()).isFalse();
        }
    }

    @Test
    void aLargeOneIsLeftAlone() {
        LateRequests requests = requests(1, 5);
        succeed(requests, PutLatencies.WARM_UP, LateRequests.MAX_BYTES + 1);
        succeed(requests, PutLatencies.WARM_UP, LateRequests.MAX_BYTES);

        send(requests, LateRequests.MAX_BYTES + 1);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(0);

        send(requests, LateRequests.MAX_BYTES);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(1);
    }

    @Test
    void noneIsCutOffWhileTheStoreThrottlesSegments() {
        throttled = true;
        send(knowing(1, 5));
        timer.advance(LONG);

        assertThat(cutOff).hasValue(0);
    }

    @Test
    void noneIsCutOffForAMinuteAfterTheStoreHasThrottledOne() {
        LateRequests requests = knowing(1, 5);
        requests.throttled();
        try (Watch watch = send(requests)) {
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();
        }

        timer.advance(LateRequests.AFTER_THROTTLING);
        send(requests);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(1);
    }

    @Test
    void withoutHedgesNoneIsCutOff() {
        send(knowing(0, 5));
        timer.advance(LONG);

        assertThat(cutOff).hasValue(0);
    }

    @Test
    void theBudgetPaysForEach() {
        LateRequests requests = knowing(0.5, 1);
        try (Watch first = send(requests);
                Watch second = send(requests)) {
            timer.advance(LONG);
            assertThat(first.isCutOff()).isNotEqualTo(second.isCutOff());
        }

        succeed(requests, 2, BYTES);
        send(requests);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(2);
    }

    @Test
    void nothingIsLeftOfOneThatHasEnded() {
        Watch watch = send(knowing(1, 5));
        watch.close();
        watch.close();
        watch.begun();

        assertThat(timer.size()).isZero();
    }

    @Test
    void nothingIsLeftOfOneThatGotOn() {
        Watch watch = send(knowing(1, 5));
        timer.advance(USUAL);
        watch.progressed();
        timer.advance(USUAL);
        watch.close();

        assertThat(timer.size()).isZero();
    }

    /** As it is late still. */
    @Test
    void oneThatCouldNotBeCutOffMayBeLater() {
        LateRequests requests = knowing(1, 5);
        requests.throttled();
        try (Watch watch = send(requests)) {
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();

            timer.advance(LateRequests.AFTER_THROTTLING);
            assertThat(watch.isCutOff()).isTrue();
        }
    }

    @Test
    void aTimerThatIsShutDownCutsNothingOff() {
        LateRequests requests = knowing(1, 5);
        timer.shutdown();
        try (Watch watch = send(requests)) {
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();
        }
    }
}
