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
package io.dstl.store;

/** How many requests may be made beside others that are late. */
public final class HedgeSettings {

    private final double share;
    private final int maxInFlight;

    /**
     * @param share of all puts, from 0 (no hedges) to 1, both inclusive
     * @param maxInFlight at the same time, at least 1
     */
    public HedgeSettings(double share, int maxInFlight) {
        this.share = share;
        this.maxInFlight = maxInFlight;
    }

    public double share() {
        return share;
    }

    public int maxInFlight() {
        return maxInFlight;
    }
}
