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
package io.dstl.changelog.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.EveryState;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Flink has removed folding states, and kept their name. */
class StateKindTest {

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"UNKNOWN", "FOLDING"})
    void knowsEachOfFlinks(Type type) {
        assertThat(StateKind.named(type.name())).isNotEqualTo(Optional.empty());
    }

    /** The tests of replays go through these: a kind that they lack may fall back to slow ways. */
    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"UNKNOWN", "FOLDING"})
    void testsHaveAStateOfIt(Type type) {
        assertThat(EveryState.NAMES).contains(type.name().toLowerCase(Locale.ROOT));
    }
}
