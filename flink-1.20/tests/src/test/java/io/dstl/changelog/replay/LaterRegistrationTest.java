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

import static io.dstl.changelog.replay.HandWrittenLog.ADD_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.ADD_OR_UPDATE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.SET_INTERNAL;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.replay.HandWrittenLog.Data;
import io.dstl.changelog.testing.ForEachValue;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.types.StringValue;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What the user registers after the replay: the schema of a state whose class has grown a field
 * since its log was written; and that values, which the log has with their time of access, expire.
 */
class LaterRegistrationTest extends ReplayTest {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final Duration OLD = Duration.ofMinutes(1);
    private static final Duration NEW = Duration.ofMinutes(9);
    private static final Duration NOW = Duration.ofMinutes(12);

    /** What the state holds; its log was written before it had a delay. */
    public static final class Flight {
        public String tail;
        public int delay;

        static Flight of(String tail, int delay) {
            Flight flight = new Flight();
            flight.tail = tail;
            flight.delay = delay;
            return flight;
        }

        @Override
        public String toString() {
            return tail + "+" + delay;
        }
    }

    @ForEachValue
    void value(DelegateKind kind) throws Exception {
        HandWrittenLog log = olderLog(1);
        ValueStateDescriptor<Flight> descriptor = new ValueStateDescriptor<>("s", after());

        open(kind);
        fixture.replay(log);

        assertThat(fixture.state(descriptor, 1, 10).value()).hasToString("N14228+0");
        fixture.state(descriptor, 1, 10).update(Flight.of("N14228", 11));
        assertThat(fixture.state(descriptor, 1, 10).value()).hasToString("N14228+11");
    }

    @ForEachValue
    void list(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "s", Type.LIST, LONGS, new ListSerializer<>(before()))
                        .change(ADD_ELEMENT, 0, 1, 10, flight(before(), "N14228", 0))
                        .change(ADD_ELEMENT, 0, 1, 10, flight(before(), "N24211", 0));
        ListStateDescriptor<Flight> descriptor = new ListStateDescriptor<>("s", after());

        open(kind);
        fixture.replay(log);
        fixture.state(descriptor, 1, 10).add(Flight.of("N619AA", 33));

        assertThat(fixture.state(descriptor, 1, 10).get())
                .extracting(Flight::toString)
                .containsExactly("N14228+0", "N24211+0", "N619AA+33");
    }

    @ForEachValue
    void map(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "s", Type.MAP, LONGS, new MapSerializer<>(STRINGS, before()))
                        .change(
                                ADD_OR_UPDATE_ELEMENT,
                                0,
                                1,
                                10,
                                entry("EWR-IAH", flight(before(), "N14228", 0)));
        MapStateDescriptor<String, Flight> descriptor =
                new MapStateDescriptor<>("s", STRINGS, after());

        open(kind);
        fixture.replay(log);

        assertThat(fixture.state(descriptor, 1, 10).get("EWR-IAH")).hasToString("N14228+0");
    }

    @ForEachValue
    void logThatGoesOnWithTheNewSchema(DelegateKind kind) throws Exception {
        HandWrittenLog before = olderLog(1);
        HandWrittenLog after = newerLog(2);
        ValueStateDescriptor<Flight> descriptor = new ValueStateDescriptor<>("s", after());

        open(kind);
        fixture.replay(before);
        fixture.replay(after);

        assertThat(fixture.state(descriptor, 1, 10).value()).hasToString("N14228+0");
        assertThat(fixture.state(descriptor, 2, 10).value()).hasToString("N24211+20");
    }

    /** After a rescale: the second log starts with the schema that the first has left behind. */
    @ForEachValue
    void severalLogsThatGoOnWithTheNewSchema(DelegateKind kind) throws Exception {
        ValueStateDescriptor<Flight> descriptor = new ValueStateDescriptor<>("s", after());

        open(kind);
        KeyGroupRange low = new KeyGroupRange(0, DelegateKind.KEY_GROUPS / 2 - 1);
        KeyGroupRange high =
                new KeyGroupRange(DelegateKind.KEY_GROUPS / 2, DelegateKind.KEY_GROUPS - 1);
        fixture.replay(evolvingLog(low), evolvingLog(high));

        for (KeyGroupRange range : new KeyGroupRange[] {low, high}) {
            int older = ReplayFixture.key(range, 0);
            int newer = ReplayFixture.key(range, 1);
            assertThat(fixture.state(descriptor, older, 10).value()).hasToString("N14228+0");
            assertThat(fixture.state(descriptor, newer, 10).value()).hasToString("N24211+20");
        }
        if (kind == DelegateKind.ROCKSDB_IN_BULK) {
            assertThat(fixture.bulk.leftOut())
                    .containsEntry("s", "it is kept with a later schema than it was logged with");
            assertThat(fixture.bulk.tally().changes()).as("of the first log").isEqualTo(2);
        }
    }

    private static ChangelogStateBackendHandle evolvingLog(KeyGroupRange range) throws Exception {
        HandWrittenLog before = olderLog(ReplayFixture.key(range, 0));
        HandWrittenLog after = newerLog(ReplayFixture.key(range, 1));
        return verified(range, before, after);
    }

    @ForEachValue
    void schemaThatCannotFollow(DelegateKind kind) throws Exception {
        HandWrittenLog log = olderLog(1);

        open(kind);
        fixture.replay(log);

        assertThatThrownBy(() -> fixture.state(new ValueStateDescriptor<>("s", LONGS), 1, 10))
                .isInstanceOf(StateMigrationException.class);
    }

    private static HandWrittenLog olderLog(int key) throws Exception {
        return new HandWrittenLog()
                .state(0, "s", Type.VALUE, LONGS, before())
                .change(SET, 0, key, 10, flight(before(), "N14228", 0));
    }

    private static HandWrittenLog newerLog(int key) throws Exception {
        return new HandWrittenLog()
                .state(0, "s", Type.VALUE, LONGS, after())
                .change(SET, 0, key, 10, flight(after(), "N24211", 20));
    }

    private static TypeSerializer<Flight> after() {
        return Types.POJO(Flight.class).createSerializer(new SerializerConfigImpl());
    }

    private static TypeSerializer<Flight> before() throws NoSuchFieldException {
        return new PojoSerializer<>(
                Flight.class,
                new TypeSerializer<?>[] {STRINGS},
                new Field[] {Flight.class.getField("tail")},
                new SerializerConfigImpl());
    }

    private static Data entry(String key, Data value) {
        return out -> {
            StringValue.writeString(key, out);
            value.accept(out);
        };
    }

    private static Data flight(TypeSerializer<Flight> schema, String tail, int delay) {
        return out -> schema.serialize(Flight.of(tail, delay), out);
    }

    @ForEachValue
    void valueWithTtl(DelegateKind kind) throws Exception {
        ValueStateDescriptor<Long> descriptor = withTtl(new ValueStateDescriptor<>("s", LONGS));
        at(NOW, kind);
        fixture.replay(timedValues());

        assertThat(fixture.state(descriptor, 1, 10).value()).isNull();
        assertThat(fixture.state(descriptor, 2, 10).value()).isEqualTo(7L);
    }

    @ForEachValue
    void listWithTtl(DelegateKind kind) throws Exception {
        ListStateDescriptor<Long> descriptor = withTtl(new ListStateDescriptor<>("s", LONGS));
        ListSerializer<TtlValue<Long>> lists = new ListSerializer<>(ttlSerializer());
        Data elements =
                out ->
                        lists.serialize(
                                List.of(
                                        new TtlValue<>(6L, OLD.toMillis()),
                                        new TtlValue<>(7L, NEW.toMillis())),
                                out);
        at(NOW, kind);
        fixture.replay(
                new HandWrittenLog()
                        .state(0, "s", Type.LIST, LONGS, lists)
                        .change(SET, 0, 1, 10, elements));

        assertThat(fixture.state(descriptor, 1, 10).get()).containsExactly(7L);
    }

    @ForEachValue
    void mapWithTtl(DelegateKind kind) throws Exception {
        MapStateDescriptor<String, Long> descriptor =
                withTtl(new MapStateDescriptor<>("s", STRINGS, LONGS));
        MapSerializer<String, TtlValue<Long>> maps = new MapSerializer<>(STRINGS, ttlSerializer());
        at(NOW, kind);
        fixture.replay(
                new HandWrittenLog()
                        .state(0, "s", Type.MAP, LONGS, maps)
                        .change(ADD_OR_UPDATE_ELEMENT, 0, 1, 10, entry("a", 6, OLD))
                        .change(ADD_OR_UPDATE_ELEMENT, 0, 1, 10, entry("b", 7, NEW)));

        assertThat(fixture.state(descriptor, 1, 10).keys()).containsExactly("b");
        assertThat(fixture.state(descriptor, 1, 10).get("b")).isEqualTo(7L);
    }

    @ForEachValue
    void reducingWithTtl(DelegateKind kind) throws Exception {
        ReducingStateDescriptor<Long> descriptor =
                withTtl(new ReducingStateDescriptor<>("s", Long::sum, LONGS));
        at(NOW, kind);
        fixture.replay(
                new HandWrittenLog()
                        .state(0, "s", Type.REDUCING, LONGS, ttlSerializer())
                        .change(SET_INTERNAL, 0, 1, 10, timed(6, OLD))
                        .change(SET_INTERNAL, 0, 2, 10, timed(7, NEW)));

        assertThat(fixture.state(descriptor, 1, 10).get()).isNull();
        fixture.state(descriptor, 2, 10).add(1L);
        assertThat(fixture.state(descriptor, 2, 10).get()).isEqualTo(8L);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "HEAP")
    void compactionDropsWhatHasExpired(DelegateKind kind) throws Exception {
        ValueStateDescriptor<Long> descriptor = new ValueStateDescriptor<>("s", LONGS);
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(TTL).cleanupInRocksdbCompactFilter(1).build());
        at(NOW, kind);
        fixture.replay(timedValues());
        fixture.state(descriptor, 1, 10);
        ((RocksDBKeyedStateBackend<Integer>) fixture.delegate).compactState(descriptor);

        assertThat(fixture.delegate.getKeys("s", 10L)).containsExactly(2);
    }

    private void at(Duration time, DelegateKind kind) throws Exception {
        open(kind);
        fixture.ttlClock.advanceTime(time);
    }

    /** Key 1 has expired, key 2 has not. */
    private static HandWrittenLog timedValues() throws Exception {
        return new HandWrittenLog()
                .state(0, "s", Type.VALUE, LONGS, ttlSerializer())
                .change(SET, 0, 1, 10, timed(6, OLD))
                .change(SET, 0, 2, 10, timed(7, NEW));
    }

    private static TtlSerializer<Long> ttlSerializer() {
        return new TtlSerializer<>(LONGS, LONGS);
    }

    private static Data timed(long value, Duration lastAccess) {
        return out -> ttlSerializer().serialize(new TtlValue<>(value, lastAccess.toMillis()), out);
    }

    private static Data entry(String key, long value, Duration lastAccess) {
        return out -> {
            StringValue.writeString(key, out);
            timed(value, lastAccess).accept(out);
        };
    }

    private static <S extends State, T, D extends StateDescriptor<S, T>> D withTtl(D descriptor) {
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(TTL).build());
        return descriptor;
    }
}
