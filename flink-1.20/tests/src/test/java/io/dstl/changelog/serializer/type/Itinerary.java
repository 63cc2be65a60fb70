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
package io.dstl.changelog.serializer.type;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** No POJO to Flink, as it has no setters: Kryo's. */
public final class Itinerary {
    /** One of two kinds of parts of it, whose class Kryo writes by name unless it is registered. */
    public static final class Leg {
        private int number;
        private String from;

        static Leg of(int number) {
            Leg leg = new Leg();
            leg.number = number;
            leg.from = "origin-" + number;
            return leg;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Leg
                    && number == ((Leg) other).number
                    && Objects.equals(from, ((Leg) other).from);
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    /** The other. */
    public static final class Stay {
        private long nights;

        static Stay of(long nights) {
            Stay stay = new Stay();
            stay.nights = nights;
            return stay;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Stay && nights == ((Stay) other).nights;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(nights);
        }
    }

    private int number;
    private List<Object> parts;
    private Map<String, Object> notes;

    static Itinerary of(int number) {
        Itinerary itinerary = new Itinerary();
        itinerary.number = number;
        itinerary.parts = new ArrayList<>();
        for (int i = 0; i <= number % 4; i++) {
            itinerary.parts.add(i % 2 == 0 ? Leg.of(number + i) : Stay.of(i));
        }
        itinerary.notes = new LinkedHashMap<>();
        itinerary.notes.put("first", itinerary.parts.get(0));
        return itinerary;
    }

    int number() {
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Itinerary
                && number == ((Itinerary) other).number
                && Objects.equals(parts, ((Itinerary) other).parts)
                && Objects.equals(notes, ((Itinerary) other).notes);
    }

    @Override
    public int hashCode() {
        return number;
    }
}
