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
package io.dstl.tools.inspect;

import static io.dstl.tools.inspect.Records.add;
import static io.dstl.tools.inspect.Records.change;
import static io.dstl.tools.inspect.Records.clear;
import static io.dstl.tools.inspect.Records.counted;
import static io.dstl.tools.inspect.Records.polled;
import static io.dstl.tools.inspect.Records.put;
import static io.dstl.tools.inspect.Records.putAll;
import static io.dstl.tools.inspect.Records.queued;
import static io.dstl.tools.inspect.Records.remove;
import static io.dstl.tools.inspect.Records.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.tools.inspect.KeyType.Origin;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;

/** Each expected number is that of the changes a reader of the log would strike out by hand. */
class VoidJudgeTest {
    private static final TypeSerializer<?> STRINGS = StringSerializer.INSTANCE;

    private final VoidJudge judge =
            new VoidJudge(KeyType.of(STRINGS, Origin.GIVEN), new LiveBytes(1 << 20));
    private long voided;
    private long unjudged;

    @Test
    void onlyTheLastValueOfEachKeyCounts() throws IOException {
        byte[] first = set(1, "a", "one");
        byte[] second = set(1, "a", "two, which is longer");
        take(state("VALUE", STRINGS), first, set(1, "b", "one"), second, clear(1, "a"));
        assertThat(voided).isEqualTo(counted(first, second));
    }

    @Test
    void statesOfOneKeyAreApart() throws IOException {
        take(keyed("one", "VALUE", STRINGS), set(1, "a", "x"));
        take(keyed("two", "VALUE", STRINGS), set(2, "a", "x"));
        assertThat(voided).isZero();
    }

    @Test
    void aStateThatIsDescribedAgainIsTheSame() throws IOException {
        byte[] before = set(1, "a", "x");
        take(keyed("one", "VALUE", STRINGS), before);
        take(keyed("one", "VALUE", STRINGS), set(7, "a", "x"));
        assertThat(voided).isEqualTo(counted(before));
    }

    @Test
    void anEntryOfAMapReplacesThatEntryAndAClearAll() throws IOException {
        DescribedState map = map();
        byte[] x1 = put(1, "a", "x", 1);
        byte[] y1 = put(1, "a", "y", 1);
        byte[] x2 = remove(1, "a", "x");
        take(map, x1, y1, x2);
        assertThat(voided).isEqualTo(counted(x1));
        take(map, clear(1, "a"));
        assertThat(voided).isEqualTo(counted(x1, y1, x2));
        // A removal by clear is itself needed, and the entries after it begin anew.
        take(map, put(1, "a", "x", 3));
        assertThat(voided).isEqualTo(counted(x1, y1, x2));
    }

    @Test
    void eachEntryOfAPutOfManyCountsForItself() throws IOException {
        DescribedState map = map();
        byte[] single = put(1, "a", "x", 1);
        byte[] many = putAll(1, "a", Map.of("x", 2L, "y", 2L));
        byte[] empty = putAll(1, "a", Map.of());
        take(map, single, many);
        assertThat(voided).isEqualTo(counted(single));
        take(map, put(1, "a", "y", 3));
        long ofEntry = (counted(many) - counted(empty)) / 2;
        assertThat(voided).isEqualTo(counted(single) + ofEntry);
        byte[] last = put(1, "a", "y", 3);
        take(map, clear(1, "a"));
        assertThat(voided).isEqualTo(counted(single, many, last));
    }

    @Test
    void whatIsAddedToAListStaysUntilTheListIsReplaced() throws IOException {
        DescribedState list = state("LIST", new ListSerializer<>(StringSerializer.INSTANCE));
        byte[] one = add(1, "a", "one");
        byte[] two = add(1, "a", "two");
        take(list, one, two);
        assertThat(voided).isZero();
        take(list, clear(1, "a"));
        assertThat(voided).isEqualTo(counted(one, two));
    }

    @Test
    void aTimerIsThereOrNot() throws IOException {
        byte[] added = queued(1, 5);
        byte[] removed = polled(1, 5);
        take(DescribedState.queue("timers", Optional.empty()), added, queued(1, 6), removed);
        assertThat(voided).isEqualTo(counted(added));
        take(DescribedState.queue("timers", Optional.empty()), queued(1, 5));
        assertThat(voided).isEqualTo(counted(added, removed));
    }

    @Test
    void whatAMergeHasReadStays() throws IOException {
        DescribedState state = state("REDUCING", STRINGS);
        byte[] after = change(ChangeOp.SET_INTERNAL, 1, "a", out -> out.writeByte(1));
        take(
                state,
                change(ChangeOp.SET_INTERNAL, 1, "a", out -> out.writeByte(1)),
                change(ChangeOp.MERGE_NS, 1, "a", out -> out.writeInt(0)),
                after);
        assertThat(voided).isZero();
        take(state, clear(1, "a"));
        assertThat(voided).isEqualTo(counted(after));
    }

    @Test
    void withoutTheTypesNothingIsJudged() throws IOException {
        VoidJudge blind = new VoidJudge(KeyType.unknown(""), new LiveBytes(1 << 20));
        assertThat(blind.take(state("VALUE", STRINGS), ChangeOp.SET, set(1, "a", "x"))).isEmpty();
    }

    /** Void and judged are of the same changes: else a share of them would say nothing. */
    @Test
    void entriesThatCantBeReadAreNoneOfBoth() throws IOException {
        DescribedState map = DescribedState.keyed("m", "MAP", namespaces(), Optional.empty());
        byte[] clear = clear(1, "a");
        take(map, put(1, "a", "x", 1), putAll(1, "a", Map.of("y", 1L)), put(1, "a", "x", 2));
        take(map, clear);
        assertThat(unjudged).isEqualTo(3);
        assertThat(voided).isZero();
        take(map, clear);
        assertThat(voided).isEqualTo(counted(clear));
    }

    private void take(DescribedState state, byte[]... records) throws IOException {
        for (byte[] record : records) {
            var replaced = judge.take(state, ChangeOp.byCode(record[0]), record);
            voided += replaced.orElse(0);
            unjudged += replaced.isPresent() ? 0 : 1;
        }
    }

    private static DescribedState map() {
        return state(
                "MAP", new MapSerializer<>(StringSerializer.INSTANCE, LongSerializer.INSTANCE));
    }

    private static DescribedState state(String type, TypeSerializer<?> values) {
        return keyed("state", type, values);
    }

    private static DescribedState keyed(String name, String type, TypeSerializer<?> values) {
        return DescribedState.keyed(name, type, namespaces(), Optional.of(values));
    }

    private static Optional<TypeSerializer<?>> namespaces() {
        return Optional.of(VoidNamespaceSerializer.INSTANCE);
    }
}
