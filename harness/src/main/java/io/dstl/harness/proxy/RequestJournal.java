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
package io.dstl.harness.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Every request served, in memory: some 200 bytes each. For any thread. */
public final class RequestJournal {
    @GuardedBy("this")
    private final List<ServedRequest> served = new ArrayList<>();

    synchronized void add(ServedRequest request) {
        served.add(request);
    }

    /** Those that arrived in that time, in the order in which they did. */
    public synchronized List<ServedRequest> during(Span span) {
        return served.stream()
                .filter(one -> span.contains(one.arrived()))
                .sorted(Comparator.comparing(ServedRequest::arrived))
                .collect(Collectors.toList());
    }
}
