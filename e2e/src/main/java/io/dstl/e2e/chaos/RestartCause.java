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
package io.dstl.e2e.chaos;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Why a job was restarted, as far as a run holds it against somebody. */
enum RestartCause {
    /** A process was killed or paused, a disk full, ZooKeeper away: what else could it do. */
    PROCESS("by a process, a disk or ZooKeeper"),

    /** No process was hit, and a heartbeat or a session was lost: the machine was too slow. */
    MACHINE("by a machine too slow for its heartbeats"),

    /** Nothing was wrong but the store: a fault of the changelog. */
    STORAGE("by the store alone"),

    /** Nothing was wrong at all. */
    NONE("without a cause");

    /** All of them between processes: a process that is gone is found to be so besides. */
    private static final Pattern TOO_SLOW =
            Pattern.compile(
                    "heartbeat of |no longer reachable|Lost connection to task manager"
                            + "|NoResourceAvailable|AskTimeout|TimeoutException: Invocation of"
                            + "|SessionExpired|ConnectionLoss|Connection suspended"
                            + "|re-registered with a new session id|not connected to the resource"
                            + "|lead(er|ing)",
                    Pattern.CASE_INSENSITIVE);

    private final String title;

    RestartCause(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Whether a run with such a restart has failed. */
    boolean isFailure() {
        return this == STORAGE || this == NONE;
    }

    /**
     * Judges a restart by what was going on when it happened.
     *
     * @param spells all of the run, in any order; they may overlap
     */
    static RestartCause of(Restart restart, List<Spell> spells) {
        List<Spell> present = new ArrayList<>();
        for (Spell spell : spells) {
            if (spell.contains(restart.at)) {
                present.add(spell);
            }
        }
        if (present.stream().anyMatch(spell -> spell.type == Spell.Type.PROCESS)) {
            return PROCESS;
        }
        if (restart.leaderChanged || TOO_SLOW.matcher(restart.reason).find()) {
            return MACHINE;
        }
        return present.isEmpty() ? NONE : STORAGE;
    }

    /** A time in which something was wrong, until the job had got over it. Immutable. */
    static final class Spell {
        private final Type type;
        private final Instant start;
        private final Instant end;

        /**
         * @param start inclusive
         * @param end inclusive: when a checkpoint was complete that began after the last fault
         */
        Spell(Type type, Instant start, Instant end) {
            this.type = type;
            this.start = start;
            this.end = end;
        }

        boolean contains(Instant moment) {
            return !moment.isBefore(start) && !moment.isAfter(end);
        }

        /** What was wrong. */
        enum Type {
            PROCESS,
            STORAGE
        }
    }

    /** One time that tasks of a job had to start again from a checkpoint. Immutable. */
    static final class Restart {
        final Instant at;
        final boolean leaderChanged;
        final String reason;

        /**
         * @param leaderChanged a JobManager took the job over; else the one that had it restarted
         *     it
         * @param reason as the log has it
         */
        Restart(Instant at, boolean leaderChanged, String reason) {
            this.at = at;
            this.leaderChanged = leaderChanged;
            this.reason = reason;
        }

        @Override
        public String toString() {
            return at + (leaderChanged ? " new leader: " : " restart: ") + reason;
        }
    }
}
