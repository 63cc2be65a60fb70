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
package io.dstl.fs.store;

/** The names that the attempts of one put store to, as the {@link Naming} of the store has it. */
final class AttemptNames {

    private final String first;
    private final Naming naming;
    private final SegmentNames more;

    /**
     * @param more for further attempts, where each needs a name of its own
     */
    AttemptNames(String first, Naming naming, SegmentNames more) {
        this.first = first;
        this.naming = naming;
        this.more = more;
    }

    /** Whether all attempts store to {@link #first()}. */
    boolean shared() {
        return naming == Naming.REPLACES;
    }

    String first() {
        return first;
    }

    /**
     * To be asked once for each attempt.
     *
     * @param attempt counted from 1
     */
    String of(int attempt) {
        return shared() || attempt == 1 ? first : more.next();
    }
}
