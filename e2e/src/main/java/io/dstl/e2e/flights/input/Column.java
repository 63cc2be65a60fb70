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
package io.dstl.e2e.flights.input;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The columns of a flights file, in the order of the file. */
enum Column {
    TIME_HOUR,
    SCHED_DEP_TIME,
    DEP_TIME,
    DEP_DELAY,
    ARR_DELAY,
    CARRIER,
    FLIGHT,
    TAILNUM,
    ORIGIN,
    DEST,
    AIR_TIME,
    DISTANCE;

    /** The first line of every flights file. */
    static final String HEADER =
            Arrays.stream(values()).map(Column::title).collect(Collectors.joining(","));

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
