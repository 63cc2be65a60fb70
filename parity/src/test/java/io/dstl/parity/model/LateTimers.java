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
package io.dstl.parity.model;

import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * The processing-time timers of a key, each with a namespace of its own: so far ahead that none
 * fires. Each event sets one, and some delete an earlier one.
 */
public final class LateTimers {

    private static final long FAR_AHEAD = 4_102_444_800_000L;

    private LateTimers() {}

    public static long timeOf(long ordinal) {
        return FAR_AHEAD + ordinal;
    }

    public static String namespaceOf(long ordinal) {
        return "namespace " + ordinal % 3;
    }

    /** The ordinal of the event whose timer this one deletes. */
    public static OptionalLong deletedBy(String key, long ordinal) {
        return ordinal >= 2 && Script.chance(3, "late", key, ordinal) == 0
                ? OptionalLong.of(ordinal - 2)
                : OptionalLong.empty();
    }

    /** As text, sorted. */
    public static TreeSet<String> set(String key, long before) {
        TreeSet<String> timers = new TreeSet<>();
        for (long ordinal = 0; ordinal < before; ordinal++) {
            deletedBy(key, ordinal)
                    .ifPresent(each -> timers.remove(show(namespaceOf(each), timeOf(each))));
            timers.add(show(namespaceOf(ordinal), timeOf(ordinal)));
        }
        return timers;
    }

    public static String show(String namespace, long time) {
        return namespace + "@" + (time - FAR_AHEAD);
    }
}
