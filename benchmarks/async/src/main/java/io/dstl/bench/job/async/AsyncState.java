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
package io.dstl.bench.job.async;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;

/** The door from the job, with no type that an older Flink lacks. */
public final class AsyncState {
    private AsyncState() {}

    /**
     * The operator with the state; it passes nothing on.
     *
     * @param name of the vertex
     */
    public static DataStream<Long> on(
            KeyedStream<Long, Long> updates, String name, ValueWork work) {
        return updates.enableAsyncState().transform(name, Types.LONG, new AsyncValueOperator(work));
    }
}
