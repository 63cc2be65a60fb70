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

/** A constant that is named on the command line and in results. */
public interface Labelled {
    String name();

    /** On the command line and in results. */
    default String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it is offered to whoever asks for one that is not there. */
    default boolean offered() {
        return true;
    }

    /**
     * Finds one by its label.
     *
     * @param what they all are, for the message
     */
    static <T extends Labelled> T of(T[] all, String what, String label) {
        for (T one : all) {
            if (one.label().equals(label)) {
                return one;
            }
        }
        String offers =
                Arrays.stream(all)
                        .filter(Labelled::offered)
                        .map(Labelled::label)
                        .collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                "there is no " + what + " '" + label + "': give " + offers);
    }
}
