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
import io.dstl.parity.model.Script;
import io.dstl.parity.state.SchemaVersion;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A job whose states have types that change from one version of the job to the next. */
public final class SchemaJob {

    /** No account has the field that the next version adds. */
    public static final int NEVER = -1;

    static final String NAME = "schema";

    private SchemaJob() {}

    @SuppressWarnings("deprecation") // See LaneSource.
    public static void build(StreamExecutionEnvironment env, String version, int addedSince) {
        env.addSource(new LaneSource(), "lanes", TypeInformation.of(Event.class))
                .uid("lanes")
                .keyBy(Event::key)
                .process(new SchemaStates(SchemaVersion.valueOf(version), addedSince), Types.VOID)
                .uid(NAME)
                .name(NAME)
                .sinkTo(new DiscardingSink<>())
                .uid(NAME + "-end");
    }

    /** What the keys' audits must find once all rounds before the given one are over. */
    public static Map<String, String> expectedContent(int endRound, int addedSince) {
        Map<String, String> expected = new TreeMap<>();
        for (String key : Script.keys()) {
            long ordinal = Script.ordinalBefore(key, endRound);
            expected.put(NAME + " " + key, SchemaStates.expected(key, ordinal, addedSince));
        }
        return expected;
    }
}
