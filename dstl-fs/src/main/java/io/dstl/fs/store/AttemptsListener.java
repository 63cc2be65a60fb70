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

/** Hears of the attempts of puts. Any thread; must not block. */
public interface AttemptsListener {

    AttemptsListener NONE = (winner, started) -> {};

    /**
     * A put has succeeded.
     *
     * @param winner the attempt that succeeded, counted from 1
     * @param started attempts started by then
     */
    void succeeded(int winner, int started);

    /** Another attempt is started, as the one before has failed or has timed out. */
    default void retried() {}
}
