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
package io.dstl.bench;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how many updates there are per second: a number, or max. */
final class RateOption implements ITypeConverter<Integer> {
    static final String MAX = "max";

    /** As a workload has it: 0 is as many as there can be. */
    @Override
    public Integer convert(String value) {
        if (value.equalsIgnoreCase(MAX)) {
            return 0;
        }
        try {
            int rate = Integer.parseInt(value);
            if (rate > 0) {
                return rate;
            }
        } catch (NumberFormatException e) {
            // Told below, as for a number that is none of updates.
        }
        throw new TypeConversionException(
                "'" + value + "' is no rate: give updates per second, as in 10000, or max");
    }

    /** As it was given, for the names of files. */
    static String label(int rate) {
        return rate == 0 ? MAX : Integer.toString(rate);
    }
}
