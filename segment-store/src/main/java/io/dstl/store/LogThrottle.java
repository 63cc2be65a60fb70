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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Decides how much to log of recurring events: one line a minute for each kind, in full the first
 * time. So new events are logged at once, lasting ones again, and recurring ones do not flood the
 * log.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class LogThrottle {

    /** How much to log. */
    public enum Length {
        /** The kind is new: with the stack trace. */
        FULL,
        /** It was logged before, a minute ago or more. */
        LINE,
        /** It was logged within the last minute. */
        NOTHING;

        /** The failure to log the stack trace of, after a line that has its text; null for none. */
        public Throwable trace(Throwable failure) {
            return this == FULL ? failure : null;
        }
    }

    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    /** Limit of remembered kinds, the latest ones. */
    private static final int MAX_KINDS = 100;

    private final NanoClock clock;

    /** When each kind was last logged, in ns, oldest first. */
    @GuardedBy("this")
    private final Map<String, Long> said = new LinkedHashMap<>();

    public LogThrottle(NanoClock clock) {
        this.clock = clock;
    }

    /** The result counts as logged. */
    public synchronized Length next(String kind) {
        long now = clock.nanos();
        Long last = said.get(kind);
        if (last != null && now - last < PAUSE) {
            return Length.NOTHING;
        }
        said.remove(kind);
        said.put(kind, now);
        if (said.size() > MAX_KINDS) {
            said.remove(said.keySet().iterator().next());
        }
        return last == null ? Length.FULL : Length.LINE;
    }

    /**
     * The kind of a failure: the class of its root cause, and the code of a store's refusal. Not
     * the message, which may differ from request to request.
     */
    public static String kind(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String kind = root.getClass().getName();
        if (root instanceof RefusedException) {
            return kind + " " + ((RefusedException) root).code();
        }
        if (ThrottledException.isIn(failure)) {
            return kind + " throttled";
        }
        return RefusedException.isIn(failure) ? kind + " refused" : kind;
    }
}
