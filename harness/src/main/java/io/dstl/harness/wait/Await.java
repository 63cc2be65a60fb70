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
package io.dstl.harness.wait;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits for something that another process brings about, up to a deadline, which starts anew
 * whenever the thing has come nearer: a loaded machine may be slow, but not stand still.
 *
 * <p>Owns the pace of asking and the deadline. Does not own what is asked: a probe that finds the
 * awaited thing out of reach (its process died, its job failed) throws, and the wait ends at once.
 */
public final class Await {
    private static final Duration PACE = Duration.ofMillis(100);

    private final Time time;

    public Await(Time time) {
        this.time = time;
    }

    /**
     * Asks until there is an answer.
     *
     * @param what the awaited thing, as it reads after "waiting for"
     * @param limit how long nothing may move
     * @throws DeadlineExpired when there is no answer and nothing has moved for that long
     */
    public <T> T until(String what, Duration limit, Probe<T> probe)
            throws IOException, InterruptedException {
        long start = time.nanos();
        long progress = probe.progress();
        while (true) {
            Optional<T> answer = probe.ask();
            if (answer.isPresent()) {
                return answer.get();
            }
            long seen = probe.progress();
            if (seen != progress) {
                progress = seen;
                start = time.nanos();
            }
            if (time.nanos() - start >= limit.toNanos()) {
                throw new DeadlineExpired(what, limit, probe.whereToLook());
            }
            time.pause(PACE);
        }
    }

    /** One question, asked again and again by the waiting thread only. */
    public interface Probe<T> {

        /** The answer, or empty while there is none yet. */
        Optional<T> ask() throws IOException, InterruptedException;

        /** A number that changes when the awaited thing has come nearer. */
        default long progress() {
            return 0;
        }

        /** Where the reason of an expired deadline may be found. */
        default String whereToLook() {
            return "";
        }
    }

    /** What the harness knows of time; replaced by a hand-driven one in tests. Thread-safe. */
    public interface Time {

        /** Nanoseconds from an arbitrary start; never goes back. */
        long nanos();

        /** The wall clock, for what a reader sees. */
        Clock clock();

        /** Lets that much time pass. */
        void pause(Duration duration) throws InterruptedException;
    }

    /** What was awaited did not come in time: the run ends, the logs say why. */
    public static final class DeadlineExpired extends RuntimeException {
        public DeadlineExpired(String what, Duration limit, String whereToLook) {
            super(message(what, limit, whereToLook));
        }

        private static String message(String what, Duration limit, String whereToLook) {
            String waited = "nothing moved for " + limit.toSeconds() + " s, waiting for " + what;
            return whereToLook.isEmpty() ? waited : waited + "; look into " + whereToLook;
        }
    }
}
