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
package io.dstl.tools.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Says every five seconds how far a long run has come, and what time is left. Any thread. */
public final class Progress {
    private static final long PERIOD_MILLIS = 5_000;

    /** A request takes about as long as so many bytes: for the time left. */
    private static final long REQUEST_BYTES = 1 << 18;

    private static final long SECONDS_SHOWN = 120;

    private final PrintWriter err;
    private final LongSupplier now;

    @GuardedBy("this")
    private String what = "";

    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private long begunAt;

    @GuardedBy("this")
    private long nextAt;

    @GuardedBy("this")
    private long things;

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private long thingsDone;

    @GuardedBy("this")
    private long bytesDone;

    /**
     * @param now in ms
     */
    public Progress(PrintWriter err, LongSupplier now) {
        this.err = err;
        this.now = now;
    }

    /**
     * Begins to count anew.
     *
     * @param newWhat as a line has it, with places for the numbers: of things done, of all, and if
     *     that tells anything, of bytes done, and of all
     * @param newThings 0 if nobody knows: without bytes no time left is told either
     * @param newBytes 0 if nobody knows
     */
    public synchronized void begin(String newWhat, long newThings, long newBytes) {
        what = newWhat;
        things = newThings;
        bytes = newBytes;
        thingsDone = 0;
        bytesDone = 0;
        begunAt = now.getAsLong();
        // Else many things that take less would never be heard of.
        if (!begun) {
            begun = true;
            nextAt = begunAt + PERIOD_MILLIS;
        }
    }

    /** One more is done. */
    public synchronized void done(long bytesOfIt) {
        thingsDone++;
        bytesDone += bytesOfIt;
    }

    /** Of one thing alone, which is under way. */
    public synchronized void readUpTo(long bytesOfIt) {
        bytesDone = bytesOfIt;
    }

    /** How long to wait for something to be done before {@link #show} is called all the same. */
    public synchronized long untilNextMillis() {
        return Math.max(1, nextAt - now.getAsLong());
    }

    /** Prints a line if it is time for one. */
    public synchronized void show() {
        long at = now.getAsLong();
        if (at < nextAt) {
            return;
        }
        nextAt = at + PERIOD_MILLIS;
        String soFar = String.format(Locale.ROOT, what, thingsDone, things, bytesDone, bytes);
        boolean ofKnownLength = things > 0 || bytes > 0;
        err.println(ofKnownLength ? soFar + "; " + left(at - begunAt) : soFar);
        err.flush();
    }

    private synchronized String left(long elapsedMillis) {
        double done = work(thingsDone, bytesDone);
        if (done == 0) {
            return "time left not known yet";
        }
        double left = work(things, bytes) - done;
        long seconds = (long) Math.ceil(elapsedMillis * (left / done) / 1_000);
        return seconds <= SECONDS_SHOWN
                ? "about " + seconds + " s left"
                : "about " + (seconds + 59) / 60 + " min left";
    }

    private static double work(long things, long bytes) {
        return (double) things * REQUEST_BYTES + bytes;
    }
}
