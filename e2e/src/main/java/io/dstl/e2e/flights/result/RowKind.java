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
package io.dstl.e2e.flights.result;

import java.util.Locale;

/** What a row of the result is about. */
public enum RowKind {
    /** All flights of one aircraft, at the end of the input. */
    AIRCRAFT,
    /** An aircraft that did not leave New York again in time. */
    MISSED,
    /** One airport in one sliding window. */
    SLIDING,
    /** One airport in one session. */
    SESSION,
    /** A movement that came after its window had fired: never in a right result. */
    LATE,
    /** A timer that fired though it had been removed: never in a right result. */
    STRAY;

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
