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

import java.util.Objects;

/**
 * One record of the input. The ordinal counts the events of a key; a pulse changes nothing, and
 * carries the ordinal that the key's next event will have.
 */
public final class Event {

    public String key;
    public long ordinal;
    public long timestamp;
    public boolean pulse;

    public Event() {}

    Event(String key, long ordinal, long timestamp, boolean pulse) {
        this.key = Objects.requireNonNull(key);
        this.ordinal = ordinal;
        this.timestamp = timestamp;
        this.pulse = pulse;
    }

    public String key() {
        return key;
    }

    /** The round that the event belongs to. */
    public int round() {
        return Script.roundOf(timestamp);
    }

    @Override
    public String toString() {
        return key + (pulse ? " pulse before " : " event ") + ordinal + " at " + timestamp;
    }
}
