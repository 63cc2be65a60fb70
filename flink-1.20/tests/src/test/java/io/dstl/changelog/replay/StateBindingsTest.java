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

import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.HandWrittenLog.text;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.ForEachValue;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.junit.jupiter.api.Test;

/** Which state an id stands for, across change sets, logs and handles. */
class StateBindingsTest extends ReplayTest {
    @ForEachValue
    void lastsOverTheLogsOfAHandle(DelegateKind kind) throws Exception {
        HandWrittenLog first = numbers("a", 0).change(SET, 0, 1, 10, number(1));
        HandWrittenLog second = new HandWrittenLog().change(SET, 0, 2, 10, number(2));
        HandWrittenLog third = new HandWrittenLog().change(SET, 0, 1, 10, number(3));

        open(kind);
        fixture.replay(
                handle(
                        DelegateKind.ALL,
                        log(DelegateKind.ALL, segment("1", first, second)),
                        log(DelegateKind.ALL, segment("2", third))));

        assertThat(numberAt("a", 1)).isEqualTo(3L);
        assertThat(numberAt("a", 2)).isEqualTo(2L);
    }

    @ForEachValue
    void isReplacedByLaterMetadata(DelegateKind kind) throws Exception {
        HandWrittenLog before =
                numbers("a", 0)
                        .state(1, "b", Type.VALUE, LONGS, STRINGS)
                        .change(SET, 0, 1, 10, number(1))
                        .change(SET, 1, 1, 10, text("one"));
        HandWrittenLog after =
                numbers("a", 1)
                        .state(0, "b", Type.VALUE, LONGS, STRINGS)
                        .change(SET, 1, 2, 10, number(2))
                        .change(SET, 0, 2, 10, text("two"));

        open(kind);
        fixture.replay(handle(segment("1", before, after)));

        ValueStateDescriptor<String> texts = new ValueStateDescriptor<>("b", STRINGS);
        assertThat(numberAt("a", 1)).isEqualTo(1L);
        assertThat(numberAt("a", 2)).isEqualTo(2L);
        assertThat(fixture.state(texts, 1, 10).value()).isEqualTo("one");
        assertThat(fixture.state(texts, 2, 10).value()).isEqualTo("two");
    }

    @ForEachValue
    void isOfOneHandleOnly(DelegateKind kind) throws Exception {
        HandWrittenLog first = numbers("a", 0).change(SET, 0, 1, 10, number(1));
        HandWrittenLog second = numbers("b", 0).change(SET, 0, 1, 10, number(2));
        HandWrittenLog third = new HandWrittenLog().change(SET, 0, 1, 10, number(3));

        open(kind);
        fixture.replay(handle(segment("1", first)), handle(segment("2", second)));
        assertThatThrownBy(() -> fixture.replay(handle(segment("3", third))))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("state id 0 is unknown");

        assertThat(numberAt("a", 1)).isEqualTo(1L);
        assertThat(numberAt("b", 1)).isEqualTo(2L);
    }

    @Test
    void holdsTheHighestId() throws Exception {
        HandWrittenLog log =
                numbers("a", Short.MAX_VALUE).change(SET, Short.MAX_VALUE, 1, 10, number(1));

        open(DelegateKind.HEAP);
        fixture.replay(log);

        assertThat(numberAt("a", 1)).isEqualTo(1L);
    }

    private static HandWrittenLog numbers(String name, int id) throws Exception {
        return new HandWrittenLog().state(id, name, Type.VALUE, LONGS, LONGS);
    }

    private Long numberAt(String name, int key) throws Exception {
        return fixture.state(new ValueStateDescriptor<>(name, LONGS), key, 10).value();
    }
}
