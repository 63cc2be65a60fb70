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

import static io.dstl.changelog.replay.HandWrittenLog.ADD_OR_UPDATE_ELEMENT;
import static io.dstl.changelog.replay.ReplayFixture.OF_STOCK;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.ForEachValue;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * The log of Flink's own backend, from 2.1 on, for a map whose keys' serializer was reconfigured:
 * it has the schema of what Flink has put around the values' serializer.
 */
class WrappedSchemaTest extends ReplayTest {
    @ForEachValue
    void isThatOfTheState(DelegateKind kind) throws Exception {
        restore(kind, descriptor(), LONGS, 6L, 7L);
    }

    @ForEachValue
    void isThatOfTheStateWithATimeToLive(DelegateKind kind) throws Exception {
        MapStateDescriptor<String, Long> descriptor = descriptor();
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofMinutes(10)).build());
        restore(
                kind,
                descriptor,
                new TtlSerializer<>(LONGS, LONGS),
                new TtlValue<>(6L, 0),
                new TtlValue<>(7L, 0));

        fixture.ttlClock.advanceTime(Duration.ofHours(1));
        assertThat(state(descriptor).get("a")).isNull();
        assertThat(state(descriptor).get("b")).isNull();
    }

    /** The log of two attempts. */
    private <V> void restore(
            DelegateKind kind,
            MapStateDescriptor<String, Long> descriptor,
            TypeSerializer<V> values,
            V six,
            V seven)
            throws Exception {
        open(kind);

        fixture.replay(
                handle(
                        segment(
                                OF_STOCK,
                                log(values)
                                        .change(
                                                ADD_OR_UPDATE_ELEMENT,
                                                0,
                                                1,
                                                10,
                                                entry("a", values, six)),
                                log(new TtlAwareSerializer<>(values))
                                        .change(
                                                ADD_OR_UPDATE_ELEMENT,
                                                0,
                                                1,
                                                10,
                                                entry("b", values, seven)))));

        assertThat(state(descriptor).get("a")).isEqualTo(6L);
        assertThat(state(descriptor).get("b")).isEqualTo(7L);
    }

    private static HandWrittenLog log(TypeSerializer<?> values) throws IOException {
        return new HandWrittenLog()
                .state(0, "m", Type.MAP, LONGS, new MapSerializer<>(STRINGS, values));
    }

    private static <V> HandWrittenLog.Data entry(String key, TypeSerializer<V> values, V value) {
        return out -> {
            STRINGS.serialize(key, out);
            values.serialize(value, out);
        };
    }

    private MapState<String, Long> state(MapStateDescriptor<String, Long> descriptor)
            throws Exception {
        return fixture.state(descriptor, 1, 10);
    }

    private static MapStateDescriptor<String, Long> descriptor() {
        return new MapStateDescriptor<>("m", STRINGS, LONGS);
    }
}
