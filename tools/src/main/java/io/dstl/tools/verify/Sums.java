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
package io.dstl.tools.verify;

import io.dstl.tools.cli.Tally;
import io.dstl.tools.verify.Finding.Depth;
import java.util.EnumMap;
import java.util.Map;

/** How much has been looked at, how far, and what it came to. For one thread. */
final class Sums {
    private final Map<Depth, Tally> intact = new EnumMap<>(Depth.class);
    private final Map<Verdict, Tally> verdicts = new EnumMap<>(Verdict.class);
    private final Tally inMetadata;

    /**
     * @param inMetadata what needs no object
     */
    Sums(Tally inMetadata) {
        this.inMetadata = inMetadata;
    }

    /**
     * @param bytes of the object, as the metadata has it
     */
    void add(Finding finding, long bytes) {
        finding.depth()
                .ifPresent(depth -> intact.computeIfAbsent(depth, any -> new Tally()).add(bytes));
        verdicts.computeIfAbsent(finding.verdict(), any -> new Tally()).add(bytes);
    }

    /** Intact objects. */
    Tally intact(Depth depth) {
        return intact.getOrDefault(depth, new Tally());
    }

    Tally inMetadata() {
        return inMetadata;
    }

    /** Of all checkpoints together, each object and each metadata file once. */
    long count(Verdict verdict) {
        return verdicts.getOrDefault(verdict, new Tally()).count();
    }
}
