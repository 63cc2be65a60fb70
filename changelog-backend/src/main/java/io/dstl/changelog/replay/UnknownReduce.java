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
package io.dstl.changelog.replay;

import org.apache.flink.api.common.functions.ReduceFunction;

/**
 * Stands for the user's function until the user registers the state. Replay sets results and never
 * reduces, so a call means that the state was used without being registered.
 */
final class UnknownReduce<V> implements ReduceFunction<V> {
    private static final long serialVersionUID = 1L;

    private final String stateName;

    UnknownReduce(String stateName) {
        this.stateName = stateName;
    }

    @Override
    public V reduce(V one, V other) {
        throw unknown(stateName);
    }

    static IllegalStateException unknown(String stateName) {
        return new IllegalStateException(
                "The user function of state '"
                        + stateName
                        + "' is not known: the state was restored from a log and used before it was"
                        + " registered with its descriptor.");
    }
}
