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
package io.dstl.bench.run;

/** How often the TaskManager of a run is killed. Immutable. */
public final class KillPlan {
    static final KillPlan NONE = new KillPlan(0, false);

    private final int kills;
    private final boolean again;

    private KillPlan(int kills, boolean again) {
        this.kills = kills;
        this.again = again;
    }

    /**
     * @param kills when the log is oldest
     * @param again whether each is followed by another one, after the next checkpoint
     * @throws IllegalArgumentException if there would be none; names the option
     */
    public static KillPlan of(int kills, boolean again) {
        if (kills < 1) {
            throw new IllegalArgumentException("--kills is " + kills + ": give 1 or more");
        }
        return new KillPlan(kills, again);
    }

    boolean isAny() {
        return kills > 0;
    }

    int kills() {
        return kills;
    }

    boolean again() {
        return again;
    }

    /** With those that follow. */
    int all() {
        return again ? 2 * kills : kills;
    }
}
