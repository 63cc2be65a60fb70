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

import java.util.List;
import java.util.stream.Collectors;

/** The job that plays in a leg, and whose keys are still on stage. */
public enum Cast {
    EVERY_STATE,
    /** As before, in no type that Kryo writes: Flink 2 has another Kryo. */
    EVERY_STATE_WITHOUT_KRYO,
    /** The source of the even lanes has ended. */
    EVERY_STATE_OF_ODD_LANES,
    SCHEMA,
    /** Map states with null values, of a type whose serializer takes them. */
    NULL_TEXTS,
    /** As before, and of one whose serializer takes none, written in the first rounds only. */
    NULL_NUMBERS,
    /** States used asynchronously, on a Flink 2. */
    ASYNCHRONOUS;

    public boolean isOfEveryState() {
        return this == EVERY_STATE
                || this == EVERY_STATE_WITHOUT_KRYO
                || this == EVERY_STATE_OF_ODD_LANES;
    }

    public boolean isOfNulls() {
        return this == NULL_TEXTS || this == NULL_NUMBERS;
    }

    public List<String> keys() {
        return Script.keys().stream()
                .filter(key -> this != EVERY_STATE_OF_ODD_LANES || Script.laneOf(key) % 2 == 1)
                .collect(Collectors.toList());
    }
}
