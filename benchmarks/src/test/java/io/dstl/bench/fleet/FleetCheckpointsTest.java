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
package io.dstl.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.fleet.FleetCheckpoints.Directive;
import io.dstl.bench.fleet.FleetCheckpoints.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetCheckpointsTest {
    private static final int GATHERED = 3;

    private final List<Long> begun = new ArrayList<>();
    private FleetCheckpoints checkpoints;
    private Path file;

    @TempDir private Path directory;

    @BeforeEach
    void start() {
        file = directory.resolve("fleet.csv");
        checkpoints =
                new FleetCheckpoints(
                        file, Clock.fixed(Instant.ofEpochMilli(50), ZoneOffset.UTC), GATHERED);
        checkpoints.onBegin(begun::add);
    }

    @Test
    void beginsOnceForAllSources() {
        checkpoints.trigger(1, 40);
        checkpoints.trigger(1, 40);
        checkpoints.trigger(2, 41);

        assertThat(begun).containsExactly(1L, 2L);
    }

    @Test
    void writesDownAConfirmedCheckpointOnce() throws Exception {
        checkpoints.trigger(1, 40);
        checkpoints.acknowledged(1, 100);
        checkpoints.acknowledged(1, 20);
        checkpoints.named(1, 4);
        checkpoints.confirm(1);
        checkpoints.confirm(1);

        assertThat(Files.readAllLines(file)).containsExactly("1,40,50,50,50,RUN,2,120,4");
    }

    @Test
    void aCheckpointThatFailedIsNotWrittenDown() {
        checkpoints.trigger(1, 40);
        checkpoints.trigger(2, 41);
        checkpoints.acknowledged(1, 100);
        checkpoints.confirm(1);

        assertThat(file).doesNotExist();
    }

    @Test
    void gathersWhenAskedAndTruncatesOnceWhenAsked() throws Exception {
        assertThat(step(1)).isEqualTo(Step.RUN);
        Files.createFile(directory.resolve(FleetCheckpoints.GATHER));
        int checkpoint = 2;
        for (int i = 0; i < FleetCheckpoints.GATHERING; i++) {
            Directive directive = next(checkpoint++);
            assertThat(directive.step).isEqualTo(Step.GATHER);
            assertThat(directive.gathered).isEqualTo(GATHERED);
        }
        Directive full = next(checkpoint++);
        assertThat(full.step).isEqualTo(Step.GATHER);
        assertThat(full.gathered).isZero();
        Files.createFile(directory.resolve(FleetCheckpoints.TRUNCATE));
        assertThat(step(checkpoint++)).isEqualTo(Step.TRUNCATE);
        assertThat(step(checkpoint)).isEqualTo(Step.RUN);
    }

    @Test
    void saysWhatIsConfirmed() {
        assertThat(next(1).confirmed).isNegative();
        checkpoints.confirm(1);
        assertThat(next(2).confirmed).isEqualTo(1);
    }

    private Step step(long checkpoint) {
        return next(checkpoint).step;
    }

    private Directive next(long checkpoint) {
        checkpoints.trigger(checkpoint, 40);
        return checkpoints.directive(checkpoint);
    }
}
