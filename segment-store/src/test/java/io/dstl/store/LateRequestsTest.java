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
import io.dstl.store.RetrySettings.HedgeSettings;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LateRequestsTest {

    private static final Duration USUAL = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final int BYTES = 100_000;

    private final ManualTimer timer = new ManualTimer();
    private final AtomicInteger cutOff = new AtomicInteger();
    private boolean throttled;

    private LateRequests requests(double share, int atATime) {
        HedgePolicy policy =
                new HedgePolicy(
                        new PutLatencies(),
                        new HedgeBudget(new HedgeSettings(share, atATime)),
                        () -> throttled,
                        timer::nanos);
        return new LateRequests(policy, timer, timer::nanos);
    }

    private Watch begin(LateRequests requests) {
        return begin(requests, BYTES);
    }

    private Watch begin(LateRequests requests, long bytes) {
        return requests.watch(bytes, cutOff::incrementAndGet);
    }

    private void succeed(LateRequests requests, int count, long bytes) {
        for (int i = 0; i < count; i++) {
            try (Watch watch = begin(requests, bytes)) {
                timer.advance(USUAL);
                watch.succeeded();
            }
        }
    }

    private LateRequests knowing(double share, int atATime) {
        LateRequests requests = requests(share, atATime);
        succeed(requests, PutLatencies.WARM_UP, BYTES);
        return requests;
    }

    @Test
    void aLateOneIsCutOffOnce() {
        try (Watch watch = begin(knowing(1, 5))) {
            timer.advance(USUAL);
            assertThat(watch.isCutOff()).isFalse();

            timer.advance(LONG);
            assertThat(watch.isCutOff()).isTrue();
            timer.advance(LONG);
        }
        assertThat(cutOff).hasValue(1);
    }

    @Test
    void noneIsLateBeforeSomeHaveSucceeded() {
        LateRequests requests = requests(1, 5);
        succeed(requests, PutLatencies.WARM_UP - 1, BYTES);
        try (Watch watch = begin(requests)) {
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();
        }
    }

    /** So failures that come fast do not make others late. */
    @Test
    void aFailureSaysNothing() {
        LateRequests requests = requests(1, 5);
        for (int i = 0; i < PutLatencies.WARM_UP; i++) {
            begin(requests).close();
        }
        begin(requests);
        timer.advance(LONG);

        assertThat(cutOff).hasValue(0);
    }

    /** As seen from its beginning to its end, it has taken at least that long. */
    @Test
    void whatWasCutOffCountsWithTheTimeThatItHad() {
        LateRequests requests = knowing(1, 5);
        for (int i = 0; i < 10 * PutLatencies.WARM_UP; i++) {
            try (Watch watch = begin(requests)) {
                timer.advance(LONG);
            }
        }
        int before = cutOff.get();
        try (Watch watch = begin(requests)) {
            timer.advance(USUAL.multipliedBy(3));

            assertThat(cutOff).as("%s before", before).hasValue(before);
        }
    }

    @Test
    void aLargeOneIsLeftAlone() {
        LateRequests requests = requests(1, 5);
        succeed(requests, PutLatencies.WARM_UP, LateRequests.MAX_BYTES + 1);
        succeed(requests, PutLatencies.WARM_UP, LateRequests.MAX_BYTES);

        begin(requests, LateRequests.MAX_BYTES + 1);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(0);

        begin(requests, LateRequests.MAX_BYTES);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(1);
    }

    @Test
    void noneIsCutOffWhileTheStoreThrottles() {
        throttled = true;
        begin(knowing(1, 5));
        timer.advance(LONG);

        assertThat(cutOff).hasValue(0);
    }

    @Test
    void withoutHedgesNoneIsCutOff() {
        begin(knowing(0, 5));
        timer.advance(LONG);

        assertThat(cutOff).hasValue(0);
    }

    @Test
    void theBudgetPaysForSoManyAtATime() {
        LateRequests requests = knowing(1, 1);
        Watch first = begin(requests);
        begin(requests);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(1);

        first.close();
        begin(requests);
        timer.advance(LONG);
        assertThat(cutOff).hasValue(2);
    }

    @Test
    void nothingIsLeftOfOneThatHasEnded() {
        LateRequests requests = knowing(1, 5);
        Watch watch = begin(requests);
        watch.close();
        watch.close();

        assertThat(timer.size()).isZero();
        timer.advance(LONG);
        assertThat(cutOff).hasValue(0);
    }

    @Test
    void aTimerThatIsShutDownCutsNothingOff() {
        LateRequests requests = knowing(1, 5);
        timer.shutdown();
        try (Watch watch = begin(requests)) {
            timer.advance(LONG);
            assertThat(watch.isCutOff()).isFalse();
        }
    }
}
