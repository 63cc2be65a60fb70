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
package io.dstl.tools.verify;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Says every five seconds how far a long run has come: objects, bytes of segments, time left. For
 * one thread.
 */
final class Progress {
    private static final long PERIOD_MILLIS = 5_000;

    /** A request takes about as long as so many bytes: for the time left. */
    private static final long REQUEST_BYTES = 1 << 18;

    private static final long SECONDS_SHOWN = 120;

    private final PrintWriter err;
    private final LongSupplier now;

    private long begunAt;
    private long nextAt;
    private long objects;
    private long bytes;
    private long objectsDone;
    private long bytesDone;

    /**
     * @param now in ms
     */
    Progress(PrintWriter err, LongSupplier now) {
        this.err = err;
        this.now = now;
    }

    /**
     * @param all that will be {@link #done}
     */
    void begin(Collection<StoredObject> all) {
        objects = all.size();
        bytes = all.stream().mapToLong(Progress::bytesToRead).sum();
        begunAt = now.getAsLong();
        nextAt = begunAt + PERIOD_MILLIS;
    }

    private static long bytesToRead(StoredObject object) {
        return object.isSegment() ? object.bytes() : 0;
    }

    void done(StoredObject object) {
        objectsDone++;
        bytesDone += bytesToRead(object);
    }

    /** How long to wait for something to be done before {@link #show} is called all the same. */
    long untilNextMillis() {
        return Math.max(1, nextAt - now.getAsLong());
    }

    /** Prints a line if it is time for one. */
    void show() {
        long at = now.getAsLong();
        if (at < nextAt) {
            return;
        }
        nextAt = at + PERIOD_MILLIS;
        err.println(
                String.format(
                        Locale.ROOT,
                        "Checked: %,d of %,d objects, of segments %,d of %,d bytes; %s",
                        objectsDone,
                        objects,
                        bytesDone,
                        bytes,
                        left(at - begunAt)));
        err.flush();
    }

    private String left(long elapsedMillis) {
        double done = work(objectsDone, bytesDone);
        if (done == 0) {
            return "time left not known yet";
        }
        double left = work(objects, bytes) - done;
        long seconds = (long) Math.ceil(elapsedMillis * (left / done) / 1_000);
        return seconds <= SECONDS_SHOWN
                ? "about " + seconds + " s left"
                : "about " + (seconds + 59) / 60 + " min left";
    }

    private static double work(long objects, long bytes) {
        return (double) objects * REQUEST_BYTES + bytes;
    }
}
