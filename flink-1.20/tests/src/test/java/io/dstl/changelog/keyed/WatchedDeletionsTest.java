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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.Test;

class WatchedDeletionsTest {
    private static final Duration ALLOWED = Duration.ofMinutes(10);

    private final ManualTimer timer = new ManualTimer();
    private final List<Runnable> begun = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final Semaphore leftHanging = new Semaphore(1);
    private final WatchedDeletions deletions =
            new WatchedDeletions(
                    new JobID(1, 2),
                    work -> {
                        begun.add(work);
                        return () -> events.add("given up");
                    },
                    timer,
                    ALLOWED,
                    leftHanging);

    @Test
    void oneThatHangsIsGivenUp() {
        deletions.execute(
                () -> {
                    timer.advance(ALLOWED.minusMillis(1));
                    events.add("hangs");
                    timer.advance(Duration.ofMillis(1));
                });
        begun.get(0).run();

        assertThat(events).containsExactly("hangs", "given up");
    }

    /** The permit stands for another deletion that hangs. */
    @Test
    void oneBeyondTheLimitIsGivenUpWhenThereIsRoom() {
        leftHanging.acquireUninterruptibly();
        deletions.execute(
                () -> {
                    timer.advance(ALLOWED);
                    events.add("waits, interrupted: " + Thread.interrupted());
                    leftHanging.release();
                    timer.advance(ALLOWED);
                });
        begun.get(0).run();

        assertThat(events).containsExactly("waits, interrupted: true", "given up");
        assertThat(leftHanging.availablePermits()).isEqualTo(1);
    }

    @Test
    void oneThatEndsIsNot() {
        deletions.execute(() -> events.add("done"));
        begun.get(0).run();
        timer.advance(ALLOWED);

        assertThat(events).containsExactly("done");
        assertThat(timer.size()).isZero();
    }

    @Test
    void aFailureEndsItToo() {
        IllegalStateException failure = new IllegalStateException("of the test");
        deletions.execute(
                () -> {
                    throw failure;
                });
        try {
            begun.get(0).run();
        } catch (IllegalStateException e) {
            events.add(e.getMessage());
        }
        timer.advance(ALLOWED);

        assertThat(events).containsExactly("of the test");
    }

    /** Others may hang before it, and its turn may come much later. */
    @Test
    void theTimeBeginsWithTheDeletion() {
        deletions.execute(() -> events.add("done"));
        timer.advance(ALLOWED.multipliedBy(2));
        begun.get(0).run();

        assertThat(events).containsExactly("done");
    }
}
