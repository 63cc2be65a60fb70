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
package io.dstl.materializer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StallWatchTest {

    private static final Duration ALLOWED = Duration.ofMinutes(3);

    private final ManualTimer scheduler = new ManualTimer();
    private final StallWatch watch = new StallWatch(ALLOWED, scheduler);
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    /** Else the turn of what follows would be taken for that of what has ended. */
    @Test
    void nothingIsSaidToHangOnceItIsNotWatchedAnyMore() throws Exception {
        Thread task =
                new Thread(
                        () -> {
                            watch.end();
                            events.add("ended");
                        });
        Work work = new Work();
        watch.watch(work, () -> events.add("hangs"));
        scheduler.advance(ALLOWED);
        assertThat(events).isEmpty();

        work.atNextLook = () -> startUntilItWaitsOrEnds(task);
        scheduler.advance(ALLOWED);
        task.join();

        assertThat(events).containsExactly("hangs", "ended");
    }

    /** The process has no thread that could tell. */
    @Test
    void saysAgainWhatNobodyHasHeard() {
        List<Boolean> heard = new ArrayList<>(List.of(false, true));
        watch.watch(
                new Work(),
                () -> {
                    events.add("hangs");
                    return heard.remove(0);
                });
        scheduler.advance(ALLOWED.multipliedBy(2));
        assertThat(events).containsExactly("hangs", "hangs");
        assertThat(scheduler.size()).isZero();
    }

    @Test
    void saysNothingMoreOnceItIsNotWatchedThoughNobodyHasHeard() {
        watch.watch(
                new Work(),
                () -> {
                    events.add("hangs");
                    return false;
                });
        scheduler.advance(ALLOWED.plus(ALLOWED.dividedBy(10)));
        watch.end();
        scheduler.advance(ALLOWED);
        assertThat(events).containsExactly("hangs");
    }

    private static void startUntilItWaitsOrEnds(Thread thread) {
        thread.start();
        while (thread.getState() != Thread.State.BLOCKED
                && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
    }

    /** It gets nowhere. */
    private static final class Work extends BackgroundWork {
        private Runnable atNextLook = () -> {};

        Work() {
            begin();
        }

        @Override
        public long steps() {
            Runnable meanwhile = atNextLook;
            atNextLook = () -> {};
            meanwhile.run();
            return 0;
        }

        @Override
        TimeoutException silence(String task, Duration allowed) {
            return new TimeoutException(task);
        }
    }
}
