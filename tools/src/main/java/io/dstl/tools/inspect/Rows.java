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
package io.dstl.tools.inspect;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** The lists of a document, which may be long: the first rows, and how many there are beyond. */
final class Rows {
    /** Behind the name of a list: the field with the number of rows that the list lacks. */
    static final String LEFT_OUT = "LeftOut";

    private Rows() {}

    /**
     * @param all in the order of the list
     * @param top rows, at most
     * @param fill writes one of them
     */
    static <T> void put(
            ObjectNode document,
            String name,
            Collection<T> all,
            int top,
            BiConsumer<ObjectNode, T> fill) {
        ArrayNode rows = document.putArray(name);
        all.stream().limit(top).forEach(one -> fill.accept(rows.addObject(), one));
        document.put(name + LEFT_OUT, all.size() - rows.size());
    }

    /** Those with the largest numbers first. */
    static <T> List<T> largest(Collection<T> all, ToLongFunction<T> number) {
        return all.stream()
                .sorted(Comparator.comparingLong(number).reversed())
                .collect(Collectors.toList());
    }

    static void putDamaged(ObjectNode document, Damages damages) {
        ArrayNode rows = document.putArray("damaged");
        damages.first()
                .forEach(
                        (segment, cause) ->
                                rows.addObject().put("segment", segment).put("cause", cause));
        document.put("damaged" + LEFT_OUT, damages.count() - rows.size());
    }
}
