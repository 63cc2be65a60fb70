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

import javax.annotation.Nullable;

/**
 * Folds one input into an accumulator with the user's function.
 *
 * @param <A> type of the accumulator
 * @param <IN> type of the input
 */
public interface Fold<A, IN> {

    /**
     * @param accumulator null if there is none yet
     */
    A fold(@Nullable A accumulator, IN input) throws Exception;
}
