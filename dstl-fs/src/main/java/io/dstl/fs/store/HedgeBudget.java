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
package io.dstl.fs.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.option.HedgeSettings;

/**
 * How many requests may be made beside others: a share of all puts, saved up by each, and so many
 * at the same time. What is saved is bounded too, so that a bad minute after a good day stays
 * within the share of that minute.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class HedgeBudget {

    private final double share;
    private final int maxInFlight;

    /** In hedges. Starts empty: nothing is spent that no put has earned. */
    @GuardedBy("this")
    private double saved;

    @GuardedBy("this")
    private int inFlight;

    public HedgeBudget(HedgeSettings settings) {
        this.share = settings.share();
        this.maxInFlight = settings.maxInFlight();
    }

    /** A put has begun. */
    synchronized void earn() {
        saved = Math.min(saved + share, maxInFlight);
    }

    /** Spends one hedge, if there is one to spend; {@link #ended} follows. */
    synchronized boolean take() {
        // A share such as 0.02 added up 50 times falls short of 1 by rounding.
        if (saved < 1 - 1e-9 || inFlight == maxInFlight) {
            return false;
        }
        saved = Math.max(saved - 1, 0);
        inFlight++;
        return true;
    }

    synchronized void ended() {
        if (inFlight == 0) {
            throw new IllegalStateException("More hedges ended than begun");
        }
        inFlight--;
    }
}
