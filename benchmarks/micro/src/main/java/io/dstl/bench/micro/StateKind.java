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
package io.dstl.bench.micro;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A kind of keyed state, and the one operation of it that is measured. */
public enum StateKind {
    /** update. */
    VALUE,
    /** put, to one of eight entries of a key. */
    MAP,
    /** add. */
    LIST,
    /** add; the function keeps the newer value. */
    REDUCING,
    /** add; the function keeps the newer value. */
    AGGREGATING;

    /** On the command line and in results. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static StateKind of(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "there is no state kind '"
                                                + label
                                                + "': give "
                                                + labels()));
    }

    private static String labels() {
        return Arrays.stream(values()).map(StateKind::label).collect(Collectors.joining(", "));
    }
}
