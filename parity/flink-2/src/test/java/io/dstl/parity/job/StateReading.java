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

import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Stands for the class of parity that reads by the State Processor API, which no leg does here. */
public final class StateReading {

    private StateReading() {}

    /** Refuses. */
    public static void build(StreamExecutionEnvironment env, String checkpoint, String backend) {
        throw new UnsupportedOperationException("No State Processor API to read " + checkpoint);
    }

    /** Nothing. */
    public static Map<String, String> content() {
        return Map.of();
    }
}
