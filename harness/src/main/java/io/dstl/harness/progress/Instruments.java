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
package io.dstl.harness.progress;

import io.dstl.harness.wait.Await;
import io.dstl.harness.wait.Await.Time;
import io.dstl.harness.wait.SystemTime;
import java.io.PrintStream;
import java.time.Clock;

/** What a run is given to measure and wait with and to talk to its reader. Immutable. */
public final class Instruments {
    private final Time time;
    private final Progress progress;

    public Instruments(Time time, Progress progress) {
        this.time = time;
        this.progress = progress;
    }

    /** The real time, and lines for a log file. */
    public static Instruments printing(PrintStream out) {
        Time time = new SystemTime();
        return new Instruments(time, new Progress.Plain(out, time));
    }

    public Await await() {
        return new Await(time);
    }

    public Clock clock() {
        return time.clock();
    }

    public Time time() {
        return time;
    }

    public Progress progress() {
        return progress;
    }
}
