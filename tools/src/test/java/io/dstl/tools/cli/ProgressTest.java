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
package io.dstl.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The lines of a long run, by a clock that is moved by hand. */
class ProgressTest {
    private final StringWriter err = new StringWriter();
    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final Progress progress = new Progress(new PrintWriter(err), clock::get);

    @Test
    void saysEveryFiveSecondsHowFarItIs() {
        progress.begin("Checked: %,d of %,d objects, %,d of %,d bytes", 5, 7_000);
        progress.show();
        clock.addAndGet(4_999);
        progress.show();
        assertThat(err.toString()).isEmpty();
        assertThat(progress.untilNextMillis()).isEqualTo(1);

        clock.addAndGet(1);
        progress.show();
        progress.show();
        assertThat(err.toString())
                .isEqualTo("Checked: 0 of 5 objects, 0 of 7,000 bytes; time left not known yet\n");
        assertThat(progress.untilNextMillis()).isEqualTo(5_000);

        err.getBuffer().setLength(0);
        progress.done(3_000);
        progress.done(4_000);
        clock.addAndGet(5_000);
        progress.show();
        // Two requests and few bytes in ten seconds, and three requests to go.
        assertThat(err.toString())
                .isEqualTo("Checked: 2 of 5 objects, 7,000 of 7,000 bytes; about 15 s left\n");

        err.getBuffer().setLength(0);
        clock.addAndGet(590_000);
        progress.show();
        assertThat(err.toString()).endsWith("; about 15 min left\n");
    }

    @Test
    void beginsAnew() {
        progress.begin("One: %,d of %,d", 1, 0);
        progress.done(0);
        progress.begin("Two: %,d of %,d", 2, 0);
        clock.addAndGet(5_000);
        progress.show();
        assertThat(err.toString()).isEqualTo("Two: 0 of 2; time left not known yet\n");
    }

    /** Of what is found on the way, nobody knows how much it is going to be. */
    @Test
    void tellsNoTimeLeftOfAnUnknownNumber() {
        progress.begin("Found: %,d", 0, 0);
        progress.done(0);
        clock.addAndGet(5_000);
        progress.show();
        assertThat(err.toString()).isEqualTo("Found: 1\n");
    }

    /** Such as of a thousand directories with few segments each. */
    @Test
    void isHeardOfManyThingsThatTakeLess() {
        for (int i = 0; i < 6; i++) {
            progress.begin("Part: %,d of %,d", i, 0);
            clock.addAndGet(1_000);
            progress.show();
        }
        assertThat(err.toString()).isEqualTo("Part: 0 of 4; time left not known yet\n");
    }
}
