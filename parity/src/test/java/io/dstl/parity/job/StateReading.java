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

import io.dstl.parity.model.Cast;
import io.dstl.parity.state.StateCase.Cell;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.SavepointReader;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** Reads the states of {@link EveryState} from a checkpoint by Flink's State Processor API. */
public final class StateReading {

    /** By key, in the words of the audits. The job runs in this process. */
    private static final Map<String, String> FOUND = new ConcurrentSkipListMap<>();

    private StateReading() {}

    /** The job that reads; one at a time. */
    public static void build(StreamExecutionEnvironment env, String checkpoint, String backend)
            throws IOException {
        FOUND.clear();
        StateBackend reader =
                "hashmap".equals(backend)
                        ? new HashMapStateBackend()
                        : new EmbeddedRocksDBStateBackend(true);
        SavepointReader.read(env, checkpoint, reader)
                .readKeyedState(
                        OperatorIdentifier.forUid(EveryState.NAME),
                        new Reader(),
                        Types.STRING,
                        Types.STRING)
                .sinkTo(new DiscardingSink<>());
    }

    /** What the job has found. */
    public static Map<String, String> content() {
        return new TreeMap<>(FOUND);
    }

    private static final class Reader extends KeyedStateReaderFunction<String, String> {

        private static final long serialVersionUID = 1L;

        private transient EveryState.Kept kept;

        @Override
        public void open(Configuration parameters) {
            kept = new EveryState.Kept(getRuntimeContext(), Cast.EVERY_STATE);
        }

        @Override
        public void readKey(String key, Context context, Collector<String> out) throws Exception {
            Map<String, String> content = new LinkedHashMap<>();
            for (Map.Entry<String, Cell> cell : kept.cells.entrySet()) {
                content.put(cell.getKey(), cell.getValue().show());
            }
            TreeSet<Long> times = new TreeSet<>();
            kept.fired.keys().forEach(times::add);
            FOUND.put(
                    EveryState.NAME + " " + key, kept.count.value() + " " + content + " " + times);
            // The API stops at the first key for which nothing is collected.
            out.collect(key);
        }
    }
}
