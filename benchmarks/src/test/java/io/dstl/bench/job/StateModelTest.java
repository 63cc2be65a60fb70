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
package io.dstl.bench.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates.Payload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StateModelTest {
    private static final Updates UPDATES = new Updates(50, 0.3);
    private static final long[] COUNTS = {700, 900};

    /** The state kept as a list of what happened to each key, and looked at only in the end. */
    private final Map<Long, List<Long>> history = new HashMap<>();

    @Test
    void ofAValueTheLastUpdateIsLeft() {
        long digest = 0;
        for (Map.Entry<Long, List<Long>> key : replay().entrySet()) {
            List<Long> all = key.getValue();
            digest += StateModel.digest(key.getKey(), all.get(all.size() - 1));
        }
        assertThat(totals(WorkloadKind.VALUE, COUNTS)).containsExactly(digest);
    }

    @Test
    void ofAReadModifyWriteAllUpdatesAreLeft() {
        long digest = 0;
        for (Map.Entry<Long, List<Long>> key : replay().entrySet()) {
            digest += StateModel.digest(key.getKey(), chain(key.getValue()));
        }
        assertThat(totals(WorkloadKind.RMW, COUNTS)).containsExactly(digest);
        assertThat(totals(WorkloadKind.TIMERS, COUNTS)).containsExactly(digest);
    }

    @Test
    void ofAMapTheLastPutOfEachEntryIsLeftUnlessItWasRemoved() {
        long digest = 0;
        for (Map.Entry<Long, List<Long>> key : replay().entrySet()) {
            Map<Integer, Long> entries = new HashMap<>();
            for (long update : key.getValue()) {
                if (StateModel.removes(update)) {
                    entries.remove(StateModel.entry(update));
                } else {
                    entries.put(StateModel.entry(update), update);
                }
            }
            for (Map.Entry<Integer, Long> entry : entries.entrySet()) {
                long slot = StateModel.slot(key.getKey(), entry.getKey());
                digest += StateModel.digest(slot, entry.getValue());
            }
        }
        assertThat(totals(WorkloadKind.MAP, COUNTS)).containsExactly(digest);
    }

    @Test
    void ofAListTheUpdatesSinceTheLastClearAreLeft() {
        long digest = 0;
        for (Map.Entry<Long, List<Long>> key : replay().entrySet()) {
            List<Long> elements = new ArrayList<>();
            for (long update : key.getValue()) {
                if (StateModel.clears(update)) {
                    elements.clear();
                }
                elements.add(update);
            }
            digest += StateModel.digest(key.getKey(), chain(elements));
        }
        assertThat(totals(WorkloadKind.LIST, COUNTS)).containsExactly(digest);
    }

    @Test
    void eachUpdateCountsInEachOfItsWindows() {
        long[] once = totals(WorkloadKind.SESSION, COUNTS);
        assertThat(once[0]).isEqualTo(1600);
        assertThat(totals(WorkloadKind.WINDOW, COUNTS)).containsExactly(10 * once[0], 10 * once[1]);
    }

    @Test
    void ofAKeyTheLastUpdateOfEachSideIsLeftWhereItHasBoth() {
        long pairs = 0;
        long sum = 0;
        for (Map.Entry<Long, List<Long>> key : replay().entrySet()) {
            Map<Integer, Long> sides = new HashMap<>();
            key.getValue().forEach(update -> sides.put(StateModel.side(update), update));
            if (sides.size() == 2) {
                pairs++;
                sum += StateModel.pair(key.getKey(), sides.get(0), sides.get(1));
            }
        }
        assertThat(pairs).isPositive();
        assertThat(totals(WorkloadKind.SQL, COUNTS)).containsExactly(pairs, sum);
    }

    @ParameterizedTest
    @EnumSource(WorkloadKind.class)
    void oneUpdateLessOrOfAnotherSplitIsSeen(WorkloadKind kind) {
        assertThat(totals(kind, COUNTS))
                .isNotEqualTo(totals(kind, new long[] {699, 900}))
                .isNotEqualTo(totals(kind, new long[] {701, 899}));
    }

    @Test
    void aDamagedValueIsFound() {
        byte[] value = Payload.of(17, 200);
        assertThat(Payload.update(value)).isEqualTo(17);
        value[150]++;
        assertThatThrownBy(() -> Payload.update(value))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("update 17");
    }

    private static long chain(List<Long> updates) {
        long chain = 0;
        for (long update : updates) {
            chain = StateModel.chain(chain, update);
        }
        return chain;
    }

    private Map<Long, List<Long>> replay() {
        for (int split = 0; split < COUNTS.length; split++) {
            for (long i = 0; i < COUNTS[split]; i++) {
                long update = Updates.number(split, i);
                history.computeIfAbsent(UPDATES.key(update), key -> new ArrayList<>()).add(update);
            }
        }
        return history;
    }

    private static long[] totals(WorkloadKind kind, long[] counts) {
        return StateModel.totals(new JobArguments(kind, UPDATES, 0, 200, "r"), counts);
    }
}
