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
package io.dstl.bench.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * What is wrong with the store at the moment, on command: nothing, a stall, or errors. Owns no
 * request; it only says what should become of one. For any thread.
 */
public final class Disturbance {
    private final Random chance;
    private final LongSupplier nanos;

    @GuardedBy("this")
    private long stallEnd;

    @GuardedBy("this")
    private long errorEnd;

    @GuardedBy("this")
    private Errors errors = Errors.NONE;

    /**
     * @param seed decides which requests get the errors
     * @param nanos the time, from any origin
     */
    public Disturbance(long seed, LongSupplier nanos) {
        this.chance = new Random(seed);
        this.nanos = nanos;
        this.stallEnd = nanos.getAsLong();
        this.errorEnd = stallEnd;
    }

    /** No request is answered before that time is over; those that came meanwhile are then. */
    public synchronized void stall(Duration length) {
        stallEnd = nanos.getAsLong() + length.toNanos();
    }

    /** For that time, such a share of the requests gets an error in place of the store's answer. */
    public synchronized void fail(Errors wanted, Duration length) {
        errors = wanted;
        errorEnd = nanos.getAsLong() + length.toNanos();
    }

    /** How long a request that is about to reach the store has to wait for that. */
    synchronized Duration held() {
        return Duration.ofNanos(Math.max(0, stallEnd - nanos.getAsLong()));
    }

    /** The status that a request that has just come gets; 0 = the one that the store gives it. */
    synchronized Answer answer() {
        boolean now = errorEnd - nanos.getAsLong() > 0;
        return now && chance.nextDouble() < errors.share ? Answer.of(errors.status) : Answer.STORE;
    }

    /** A status for a share of the requests. */
    public static final class Errors {
        static final Errors NONE = new Errors(500, 0);

        private final int status;
        private final double share;

        /**
         * @param status from 400 to 599
         * @param share of the requests, from 0 to 1
         */
        public Errors(int status, double share) {
            if (status < 400 || status > 599 || share < 0 || share > 1) {
                throw new IllegalArgumentException(
                        "errors need a status from 400 to 599 and a share from 0 to 1, not "
                                + status
                                + " and "
                                + share);
            }
            this.status = status;
            this.share = share;
        }
    }
}
