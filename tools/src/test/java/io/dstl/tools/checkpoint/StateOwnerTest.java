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
package io.dstl.tools.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.junit.jupiter.api.Test;

/** How an owner of state is named, by what the metadata of each Flink has of it. */
class StateOwnerTest {
    private static final OperatorID ID = new OperatorID(1, 2);

    @Test
    void byItsIdInFlink1() {
        OperatorState operator = new OperatorState(ID, 4, 128);
        assertThat(StateOwner.subtask(operator, 3))
                .hasToString("operator " + ID + ", subtask 3 of 4");
        assertThat(StateOwner.coordinator(operator))
                .hasToString("operator " + ID + ", coordinator");
        assertThat(StateOwner.coordinator(operator).operatorUid()).isEmpty();
    }

    @Test
    void byItsUidOrElseItsNameInFlink2() {
        assertThat(StateOwner.subtask(new OperatorStateOfFlink2("Window", ""), 0))
                .hasToString("operator " + ID + " (Window), subtask 0 of 4");
        assertThat(StateOwner.subtask(new OperatorStateOfFlink2("Window", "my-window"), 0))
                .hasToString("operator " + ID + " (my-window), subtask 0 of 4");
        assertThat(StateOwner.subtask(new OperatorStateOfFlink2(null, null), 0))
                .hasToString("operator " + ID + ", subtask 0 of 4");
    }

    /** Has the methods that Flink 2 has added. */
    public static final class OperatorStateOfFlink2 extends OperatorState {
        private final String name;
        private final String uid;

        OperatorStateOfFlink2(String name, String uid) {
            super(ID, 4, 128);
            this.name = name;
            this.uid = uid;
        }

        public Optional<String> getOperatorName() {
            return Optional.ofNullable(name);
        }

        public Optional<String> getOperatorUid() {
            return Optional.ofNullable(uid);
        }
    }
}
