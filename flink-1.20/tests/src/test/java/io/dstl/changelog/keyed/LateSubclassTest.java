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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.serializer.type.Cargo;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A log that names a subclass only after a materialization has begun, which no checkpoint has used
 * yet, restored by a version of the job that has changed that class.
 */
@Timeout(120)
class LateSubclassTest extends HeldReplay {
    private final List<Runnable> works = new ArrayList<>();

    @AfterEach
    void deployBefore() {
        Cargo.deployBefore();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isReadByItsOlderSchema(boolean inBackground) throws Exception {
        writeTwoRounds();
        Cargo.deployAfter();
        job.options().set(ReplayOptions.BACKGROUND_ENABLED, inBackground);
        if (inBackground) {
            startInTheMiddle();
        } else {
            view.letGo();
            job.start(1);
        }
        ValueState<Cargo> state = subtask().state(descriptor());
        assertThat(view.isHolding()).isEqualTo(inBackground);
        view.letGo();

        expectBoth(state);
        subtask().read(3);
        assertThat(state.value())
                .as("the default, as the task registered it")
                .hasToString("Cargo 7");

        expectNoThreads();
        job.checkpoint(3, CheckpointType.FULL_CHECKPOINT);
        job.stop();
        job.start(1);
        expectBoth(subtask().state(descriptor()));
    }

    private void writeTwoRounds() throws Exception {
        job.runOn(Executors.directExecutor(), this::runButTheUpload);
        job.start(1);
        subtask().state(1, descriptor()).update(Cargo.TYPE.value(1));
        job.checkpoint(1);
        job.materialize();
        assertThat(works).as("its flush and its upload").hasSize(2);
        subtask().state(2, descriptor()).update(Cargo.TYPE.value(Cargo.LIVE));
        job.checkpoint(2);
        stopTheWriter();
    }

    private void runButTheUpload(Runnable work) {
        works.add(work);
        if (works.size() != 2) {
            work.run();
        }
    }

    private void expectBoth(ValueState<Cargo> state) throws Exception {
        subtask().read(1);
        assertThat(Cargo.TYPE.number(state.value())).isEqualTo(1);
        subtask().read(2);
        assertThat(Cargo.TYPE.number(state.value())).isEqualTo(Cargo.LIVE);
    }

    private static ValueStateDescriptor<Cargo> descriptor() {
        return new ValueStateDescriptor<>("cargo", Cargo.TYPE.serializer(), Cargo.TYPE.value(7));
    }
}
