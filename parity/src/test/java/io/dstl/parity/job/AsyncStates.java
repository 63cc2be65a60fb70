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
package io.dstl.parity.job;

import io.dstl.parity.model.Event;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Stands for the operator of parity's job on Flink 2: this Flink has no asynchronous state. */
final class AsyncStates {

    private AsyncStates() {}

    /** Refuses. */
    static SingleOutputStreamOperator<Void> of(KeyedStream<Event, String> events) {
        throw new UnsupportedOperationException("No asynchronous state for " + events);
    }
}
