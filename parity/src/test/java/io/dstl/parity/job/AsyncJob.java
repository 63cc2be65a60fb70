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

import io.dstl.parity.model.Script;
import io.dstl.parity.state.Mean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job whose states, one of each kind, are used asynchronously, by the state API v2. Which change
 * an event makes of a state depends on its ordinal alone.
 */
public final class AsyncJob {

    static final String NAME = "asynchronous";

    private AsyncJob() {}

    public static void build(StreamExecutionEnvironment env) {
        ParityJob.named(NAME, AsyncStates.of(ParityJob.lanes(env)));
    }

    /** What the keys' audits must find once all rounds before the given one are over. */
    public static Map<String, String> expectedContent(int endRound) {
        Map<String, String> expected = new TreeMap<>();
        for (String key : Script.keys()) {
            Model model = new Model();
            for (long ordinal = 0; ordinal < Script.ordinalBefore(key, endRound); ordinal++) {
                model.change(ordinal);
            }
            // Each round's timers fire in the next one.
            long fired = endRound - 1L;
            expected.put(
                    NAME + " " + key,
                    content(
                            model.value + " " + model.sum + " " + model.mean + " " + fired,
                            model.map,
                            model.list));
        }
        return expected;
    }

    /**
     * What an audit tells.
     *
     * @param numbers the value, the sum, the mean and how many timers have fired
     */
    static String content(String numbers, Map<String, Long> map, List<Long> list) {
        return numbers + " " + map + " " + list;
    }

    static boolean clearsValue(long ordinal) {
        return ordinal % 5 == 4;
    }

    static boolean removesFromMap(long ordinal) {
        return ordinal % 4 == 3;
    }

    static String keyOfMap(long ordinal) {
        return "entry " + ordinal % 3;
    }

    static boolean replacesList(long ordinal) {
        return ordinal % 7 == 3;
    }

    static boolean clearsList(long ordinal) {
        return ordinal % 7 == 6;
    }

    static boolean clearsSum(long ordinal) {
        return ordinal % 6 == 5;
    }

    static boolean clearsMean(long ordinal) {
        return ordinal % 8 == 7;
    }

    static Mean.Of<Long> mean() {
        return new Mean.Of<>(number -> number);
    }

    /** The states of a key. */
    private static final class Model {
        private final Map<String, Long> map = new TreeMap<>();
        private final List<Long> list = new ArrayList<>();
        private Long value;
        private Long sum;
        private Mean mean;

        void change(long ordinal) {
            value = clearsValue(ordinal) ? null : Long.valueOf(ordinal);
            if (removesFromMap(ordinal)) {
                map.remove(keyOfMap(ordinal));
            } else {
                map.put(keyOfMap(ordinal), ordinal);
            }
            if (replacesList(ordinal) || clearsList(ordinal)) {
                list.clear();
            }
            if (!clearsList(ordinal)) {
                list.add(ordinal);
            }
            sum = clearsSum(ordinal) ? null : Long.valueOf(sum == null ? ordinal : sum + ordinal);
            mean = clearsMean(ordinal) ? null : withMean(ordinal);
        }

        private Mean withMean(long ordinal) {
            return mean().add(ordinal, mean == null ? mean().createAccumulator() : mean);
        }
    }
}
