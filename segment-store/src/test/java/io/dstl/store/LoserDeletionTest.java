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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoserDeletionTest {

    private final ManualTimer timer = new ManualTimer();
    private final ManualExecutor executor = new ManualExecutor();
    private final LoserDeletion deletion =
            new LoserDeletion(name -> deletes(), new Cleanups(executor, timer));
    private int failing;
    private int attempts;

    private void deletes() throws IOException {
        attempts++;
        if (attempts <= failing) {
            throw new IOException("down");
        }
    }

    private void pass(Duration time) {
        executor.runAll();
        for (long second = 0; second < time.getSeconds(); second++) {
            timer.advance(Duration.ofSeconds(1));
            executor.runAll();
        }
    }

    @Test
    void triesAgainUntilItSucceeds() {
        failing = 3;
        deletion.delete("segment");
        pass(Duration.ofSeconds(20));
        assertThat(attempts).isEqualTo(3);
        pass(Duration.ofMinutes(10));

        assertThat(attempts).isEqualTo(4);
        assertThat(timer.size()).isZero();
    }

    @Test
    void givesUpInTheEnd() {
        failing = Integer.MAX_VALUE;
        deletion.delete("segment");
        pass(Duration.ofHours(1));

        assertThat(attempts).isEqualTo(6);
        assertThat(timer.size()).isZero();
    }

    /** The process may end next. */
    @Test
    void closingDeletesWhatWaits() {
        failing = 1;
        deletion.delete("segment");
        executor.runAll();
        assertThat(attempts).isEqualTo(1);

        deletion.close();
        executor.runAll();
        assertThat(attempts).isEqualTo(2);
        assertThat(timer.size()).isZero();
    }

    @Test
    void deletesWhatAStrayRequestBrings() {
        deletion.deleteNowAndLater("segment");
        pass(LoserDeletion.STRAY_REQUEST.minusSeconds(1));
        assertThat(attempts).isEqualTo(1);
        pass(Duration.ofHours(1));

        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void keepsNoMoreInMindThanItsBound() {
        failing = Integer.MAX_VALUE;
        for (int i = 0; i <= LoserDeletion.MAX_WAITING; i++) {
            deletion.delete("segment");
        }
        executor.runAll();

        assertThat(timer.size())
                .as("attempts, and the end of the minute after the line about what is given up")
                .isEqualTo(LoserDeletion.MAX_WAITING + 1);
    }

    @Test
    void deletesWhatAStrayRequestBringsAfterItIsClosed() {
        deletion.close();
        failing = 3;
        deletion.deleteNowAndLater("segment");
        pass(Duration.ofSeconds(20));
        assertThat(attempts).isEqualTo(3);
        pass(Duration.ofHours(1));

        assertThat(attempts).as("two that succeed").isEqualTo(5);
    }

    @Test
    void deletesWhatIsThereWhenTheTimerIsShutDown() {
        timer.shutdown();
        deletion.deleteNowAndLater("segment");
        executor.runAll();

        assertThat(attempts).isEqualTo(1);
    }
}
