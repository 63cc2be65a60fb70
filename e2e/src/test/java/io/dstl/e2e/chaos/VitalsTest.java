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
package io.dstl.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code jcmd} has said of JVMs with a heap of 64 MB and 4 MB in it. */
class VitalsTest {

    private static String recorded(String name) throws IOException {
        try (InputStream in = VitalsTest.class.getResourceAsStream("jcmd-" + name + ".txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "17-Serial, 4361",
        "17-Parallel, 4361",
        "17-G1, 4970",
        "25-Serial, 5164",
        "25-Parallel, 5158",
        "25-G1, 5185",
    })
    void knowsTheHeapOfEachCollector(String recording, long kilobytes) throws IOException {
        assertThat(Vitals.used(recorded(recording))).isEqualTo(kilobytes);
    }

    @ParameterizedTest
    @CsvSource({"17-Serial, 6", "17-Parallel, 6", "17-G1, 7", "25-G1, 7"})
    void tellsTheShareOfTheHeap(String recording, int percent) throws IOException {
        Vitals vitals = new Vitals("taskmanager-3", 80, recorded(recording));
        assertThat(vitals)
                .hasToString("taskmanager-3: 80 threads, heap " + percent + "% after a collection");
        assertThat(vitals.withinBounds()).isTrue();
    }

    @Test
    void aFullHeapIsOutOfBounds() throws IOException {
        String full = recorded("17-Parallel").replace("used 4361K", "used 44000K");
        Vitals vitals = new Vitals("taskmanager-3", 80, full.replace("used 0K", "used 6000K"));
        assertThat(vitals).hasToString("taskmanager-3: 80 threads, heap 76% after a collection");
        assertThat(vitals.withinBounds()).isFalse();
    }

    @Test
    void tooManyThreadsAreOutOfBounds() throws IOException {
        assertThat(new Vitals("taskmanager-3", 501, recorded("17-G1")).withinBounds()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "no such process", "ZHeap used 12M, capacity 64M\n-XX:MaxHeapSize=9"})
    void aHeapThatIsNotKnownIsOutOfBounds(String answers) {
        Vitals vitals = new Vitals("taskmanager-3", 80, answers);
        assertThat(vitals.withinBounds()).isFalse();
        assertThat(vitals.toString())
                .startsWith("taskmanager-3: 80 threads, heap not known; that takes a JDK with jcmd")
                .contains(answers.lines().findFirst().orElse(""));
    }

    @Test
    void asksJcmd(@TempDir Path home) throws Exception {
        jcmd(home, "[ \"$1\" = 4711 ] && cat \"$3\"");
        assertThat(Vitals.ask(home, 4711, home, Duration.ofMinutes(1)))
                .isEqualTo("GC.run\nGC.heap_info\nVM.flags\n");
    }

    @Test
    void saysThatThereIsNoJcmd(@TempDir Path home) throws Exception {
        assertThat(Vitals.ask(home, 4711, home, Duration.ofMinutes(1)))
                .isEqualTo("there is no " + home.resolve("bin/jcmd"));
    }

    /** As of a process that does not get to a safepoint: it would wait for as long as that runs. */
    @Test
    @Timeout(60)
    void givesUpOnAProcessThatDoesNotAnswer(@TempDir Path home) throws Exception {
        jcmd(home, "exec tail -f /dev/null");
        String answers = Vitals.ask(home, 4711, home, Duration.ZERO);
        assertThat(answers).isEqualTo("jcmd got no answer within 0 s");
        assertThat(new Vitals("taskmanager-3", 80, answers).withinBounds()).isFalse();
    }

    private static void jcmd(Path home, String script) throws IOException {
        Path jcmd = Files.createDirectories(home.resolve("bin")).resolve("jcmd");
        Files.writeString(jcmd, "#!/bin/sh\n" + script + "\n");
        assertThat(jcmd.toFile().setExecutable(true)).isTrue();
    }
}
