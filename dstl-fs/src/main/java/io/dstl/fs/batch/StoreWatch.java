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
package io.dstl.fs.batch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.metric.NanoClock;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once when a store stops taking segments, once when tasks stop for it, and once when it takes
 * them again; what happens in between is said at debug level.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class StoreWatch implements LimitListener {

    private static final Logger LOG = LoggerFactory.getLogger(StoreWatch.class);

    private final NanoClock clock;

    @GuardedBy("this")
    private boolean down;

    @GuardedBy("this")
    private long downSince;

    @GuardedBy("this")
    private boolean limitReached;

    @GuardedBy("this")
    private boolean limitSaid;

    public StoreWatch(NanoClock clock) {
        this.clock = clock;
    }

    /** All attempts to store a segment have failed. */
    synchronized void failed(int changeSets, long bytes, Throwable cause) {
        if (down) {
            LOG.debug("Could not store a segment of {} change sets again", changeSets, cause);
        } else {
            down = true;
            downSince = clock.nanos();
            LOG.warn(
                    "Could not store a segment of {} change sets: {} bytes are kept and sent again"
                            + " until the store takes them; checkpoints wait for that",
                    changeSets,
                    bytes,
                    cause);
        }
        sayLimit();
    }

    /** A segment was stored. */
    synchronized void stored() {
        if (down) {
            down = false;
            limitSaid = false;
            LOG.info(
                    "The store takes segments again, {} ms after it took none",
                    TimeUnit.NANOSECONDS.toMillis(clock.nanos() - downSince));
        }
    }

    @Override
    public synchronized void reached(long bytes) {
        limitReached = true;
        LOG.debug("Tasks take no records: {} bytes are in flight", bytes);
        sayLimit();
    }

    @Override
    public synchronized void over() {
        limitReached = false;
        LOG.debug("Tasks take records again");
    }

    @GuardedBy("this")
    private void sayLimit() {
        if (down && limitReached && !limitSaid) {
            limitSaid = true;
            LOG.warn(
                    "The changes kept have reached upload.max-in-flight: tasks take no records"
                            + " until the store takes segments again");
        }
    }

    /** Whether the last put has failed, all attempts taken together. */
    public synchronized boolean isDown() {
        return down;
    }
}
