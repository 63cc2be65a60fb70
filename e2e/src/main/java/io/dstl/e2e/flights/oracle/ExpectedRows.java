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
package io.dstl.e2e.flights.oracle;

import io.dstl.e2e.flights.result.ResultRow;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The rows that a right result consists of, one per subject. For one thread. */
public final class ExpectedRows {
    private final Map<String, ResultRow> bySubject = new HashMap<>();
    private long flights;

    void countFlight() {
        flights++;
    }

    void add(ResultRow.Builder row) {
        ResultRow added = ResultRow.parse(row.line());
        ResultRow present = bySubject.putIfAbsent(added.subject(), added);
        if (present != null) {
            throw new IllegalStateException(
                    "two rows about the same: " + present.line() + " and " + added.line());
        }
    }

    /** How many flights the input holds. */
    public long flights() {
        return flights;
    }

    /** The row about {@code subject}, empty if there should be none. */
    public Optional<ResultRow> about(String subject) {
        return Optional.ofNullable(bySubject.get(subject));
    }

    /** All rows, in no particular order. */
    public Collection<ResultRow> all() {
        return Collections.unmodifiableCollection(bySubject.values());
    }
}
