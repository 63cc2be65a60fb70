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
package io.dstl.tools.inspect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Tells, every few seconds, how far a long command has come. Any thread. */
final class Progress {
    private static final long PERIOD_MILLIS = 5_000;

    private final PrintWriter err;
    private final LongSupplier now;
    private final String what;

    @GuardedBy("this")
    private long done;

    @GuardedBy("this")
    private long toldAt;

    /**
     * @param now in ms, of any beginning
     * @param what is counted, in the plural
     */
    Progress(PrintWriter err, LongSupplier now, String what) {
        this.err = err;
        this.now = now;
        this.what = what;
        this.toldAt = now.getAsLong();
    }

    /** One more is done. */
    synchronized void done() {
        done++;
        long time = now.getAsLong();
        if (time - toldAt >= PERIOD_MILLIS) {
            toldAt = time;
            err.println(String.format(Locale.ROOT, "Read so far: %,d %s", done, what));
            err.flush();
        }
    }
}
