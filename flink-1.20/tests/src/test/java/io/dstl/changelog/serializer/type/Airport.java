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

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Nothing that Avro generated: it takes the schema from the fields. */
public final class Airport {
    private int number;
    private String code;
    private List<Integer> runways;

    static Airport of(int number) {
        Airport airport = new Airport();
        airport.number = number;
        airport.code = "APT" + number;
        airport.runways = Arrays.asList(number, number + 18);
        return airport;
    }

    int number() {
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Airport
                && number == ((Airport) other).number
                && Objects.equals(code, ((Airport) other).code)
                && Objects.equals(runways, ((Airport) other).runways);
    }

    @Override
    public int hashCode() {
        return number;
    }
}
