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
package io.dstl.harness.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.harness.wait.ManualTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlainProgressTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    private final ManualTime time = new ManualTime();

    @Test
    void showsAStateNowAndThen() {
        Progress progress = new Progress.Plain(out, time);
        for (int second = 0; second <= 25; second++) {
            progress.show("second " + second);
            time.pause(Duration.ofSeconds(1));
        }

        assertThat(lines()).containsExactly("  second 10", "  second 20");
    }

    @Test
    void saysEverything() {
        Progress progress = new Progress.Plain(out, time);
        progress.say("one");
        progress.say("two");

        assertThat(lines()).containsExactly("one", "two");
    }

    @Test
    void onATerminalOneLineIsWrittenOverAndOver() {
        Progress progress = new Progress.Terminal(out);
        progress.show("10%");
        progress.show("x".repeat(500));
        progress.say("done");

        String written = bytes.toString(StandardCharsets.UTF_8);
        assertThat(written.split("\r")).hasSize(4).allMatch(part -> part.length() < 120);
        assertThat(written).endsWith("done\u001b[K" + System.lineSeparator());
        assertThat(written).containsOnlyOnce("\n");
    }

    private String[] lines() {
        return bytes.toString(StandardCharsets.UTF_8).split("\\R");
    }
}
