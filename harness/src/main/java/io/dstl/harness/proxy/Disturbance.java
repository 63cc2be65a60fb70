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
package io.dstl.harness.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * What is wrong with the store at the moment, on command: nothing, or any of a stall, errors,
 * slowness, connections reset and answers lost. Owns no request; it only says what should become of
 * one. For any thread.
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

    @GuardedBy("this")
    private long slowEnd;

    @GuardedBy("this")
    private Duration slowness = Duration.ZERO;

    @GuardedBy("this")
    private final Cut resets;

    @GuardedBy("this")
    private final Cut losses;

    /**
     * @param seed decides which requests get the errors
     * @param nanos the time, from any origin
     */
    public Disturbance(long seed, LongSupplier nanos) {
        this.chance = new Random(seed);
        this.nanos = nanos;
        this.stallEnd = nanos.getAsLong();
        this.errorEnd = stallEnd;
        this.slowEnd = stallEnd;
        this.resets = new Cut(Answer.RESET, stallEnd);
        this.losses = new Cut(Answer.LOST, stallEnd);
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

    /** For that time, each request waits so much longer before it reaches the store. */
    public synchronized void slow(Duration wanted, Duration length) {
        slowness = wanted;
        slowEnd = nanos.getAsLong() + length.toNanos();
    }

    /**
     * For that time, such a share of the connections is reset before the store sees the request.
     */
    public synchronized void reset(double share, Duration length) {
        resets.begin(share, nanos.getAsLong() + length.toNanos());
    }

    /** For that time, such a share of the requests is served, but their answers are lost. */
    public synchronized void loseAnswers(double share, Duration length) {
        losses.begin(share, nanos.getAsLong() + length.toNanos());
    }

    /** What a request that has just come waits beside its latency. */
    synchronized Duration slowness() {
        return slowEnd - nanos.getAsLong() > 0 ? slowness : Duration.ZERO;
    }

    /** How long a request that is about to reach the store has to wait for that. */
    synchronized Duration held() {
        return Duration.ofNanos(Math.max(0, stallEnd - nanos.getAsLong()));
    }

    /** Who answers a request that has just come. */
    synchronized Answer answer() {
        long now = nanos.getAsLong();
        if (errorEnd - now > 0 && chance.nextDouble() < errors.share) {
            return new Answer(OptionalInt.of(errors.status));
        }
        if (resets.hits(now, chance)) {
            return resets.answer;
        }
        return losses.hits(now, chance) ? losses.answer : Answer.STORE;
    }

    /** Connections that are cut, for a time. */
    private static final class Cut {
        private final Answer answer;
        private double share;
        private long end;

        Cut(Answer answer, long end) {
            this.answer = answer;
            this.end = end;
        }

        void begin(double wanted, long until) {
            if (wanted < 0 || wanted > 1) {
                throw new IllegalArgumentException(
                        "the share of the connections cut is " + wanted + ": give 0 to 1");
            }
            share = wanted;
            end = until;
        }

        boolean hits(long now, Random chance) {
            return end - now > 0 && chance.nextDouble() < share;
        }
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

    /** Who answers a request: the store, the proxy with an error, or nobody. */
    static final class Answer {
        static final Answer STORE = new Answer(OptionalInt.empty());

        /** The connection is reset before the store has seen the request. */
        static final Answer RESET = new Answer(OptionalInt.empty());

        /** The store answers, and the connection is reset in place of its answer. */
        static final Answer LOST = new Answer(OptionalInt.empty());

        /** The status of the error; empty where it is not the proxy that answers. */
        final OptionalInt error;

        private Answer(OptionalInt error) {
            this.error = error;
        }
    }
}
