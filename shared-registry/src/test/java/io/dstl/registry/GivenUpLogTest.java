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
package io.dstl.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;

class GivenUpLogTest {

    private final ManualTimer timer = new ManualTimer();
    private final List<String> lines = new ArrayList<>();

    private GivenUpLog on(DeletionSchedule schedule) {
        return new GivenUpLog(
                schedule,
                (objects, bytes, attempts, first, failure) ->
                        lines.add(
                                String.join(
                                        " ",
                                        first.replaceAll(".*/", ""),
                                        "of " + objects,
                                        bytes + " B",
                                        attempts + " tries",
                                        failure.getMessage())));
    }

    private static void add(GivenUpLog log, String name, int bytes, int attempts) {
        log.add(
                List.of(new FileStateHandle(new Path("s3://bucket/" + name), bytes)),
                attempts,
                new IOException("of " + name));
    }

    @Test
    void saysTheFirstAtOnceAndThoseOfAMinuteTogether() {
        GivenUpLog log = on(DeletionSchedule.on(timer));
        add(log, "a", 10, 6);
        assertThat(lines).containsExactly("a of 1 10 B 6 tries of a");
        add(log, "b", 20, 1);
        add(log, "c", 30, 6);
        timer.advance(Duration.ofSeconds(59));
        assertThat(lines).hasSize(1);

        timer.advance(Duration.ofSeconds(1));
        assertThat(lines).hasSize(2).last().isEqualTo("b of 2 50 B 6 tries of b");
        add(log, "d", 1, 6);
        assertThat(lines).as("within a minute after that line").hasSize(2);

        timer.advance(Duration.ofMinutes(1));
        timer.advance(Duration.ofMinutes(1));
        assertThat(timer.delays()).as("when nothing is left to say").isEmpty();
        add(log, "e", 1, 6);
        assertThat(lines).hasSize(4).last().isEqualTo("e of 1 1 B 6 tries of e");
    }

    @Test
    void closingSaysWhatIsLeft() {
        GivenUpLog log = on(DeletionSchedule.on(timer));
        add(log, "a", 10, 6);
        add(log, "b", 20, 6);
        log.close();
        log.close();
        assertThat(lines).containsExactly("a of 1 10 B 6 tries of a", "b of 1 20 B 6 tries of b");
        assertThat(timer.delays()).isEmpty();

        add(log, "c", 30, 1);
        add(log, "d", 30, 1);
        assertThat(lines).hasSize(4);
    }

    @Test
    void withoutATimerEachIsSaidAtOnce() {
        GivenUpLog log = on(DeletionSchedule.none());
        add(log, "a", 10, 1);
        add(log, "b", 20, 1);
        timer.shutdown();
        GivenUpLog ended = on(DeletionSchedule.on(timer));
        add(ended, "c", 10, 1);
        add(ended, "d", 20, 1);
        assertThat(lines).hasSize(4);
    }
}
