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
package io.dstl.changelog.write;

import io.dstl.changelog.record.ChangeScope;
import java.util.Collection;
import javax.annotation.Nullable;

/**
 * Writes a reducing or aggregating state and its log, under the current key and namespace. Each is
 * SET_INTERNAL in the log, or CLEAR if the delegate keeps nothing for a null accumulator.
 *
 * <p>The task thread only.
 *
 * @param <N> type of the namespaces
 * @param <A> type of the accumulator
 */
public interface AccumulatorWriter<N, A> {

    /**
     * Reads the accumulator, folds the input into it, and writes the result.
     *
     * @param input null means what it means to the delegate: RocksDB folds it, the heap clears a
     *     reducing state
     */
    <IN> void add(@Nullable IN input, Fold<A, IN> fold) throws Exception;

    void set(@Nullable A accumulator) throws Exception;

    /**
     * Merges the sources into the target in the delegate; logs nothing. May leave the delegate in
     * another namespace.
     *
     * @param sources not empty
     */
    void merge(N target, Collection<N> sources) throws Exception;

    /**
     * Logs what the last {@link #merge} left in the target.
     *
     * @param scope of the target, in which the delegate is now
     */
    void logMerged(ChangeScope scope) throws Exception;
}
