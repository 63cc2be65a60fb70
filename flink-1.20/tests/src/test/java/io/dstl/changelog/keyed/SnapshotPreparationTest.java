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

import io.dstl.changelog.delegate.DelegateSupport.Memtables;
import io.dstl.materializer.MaterializationTarget.Flush;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class SnapshotPreparationTest {
    private static final List<String> STATES = List.of("state");

    private boolean stalls = true;
    private long entries;
    private final SnapshotPreparation preparation =
            new SnapshotPreparation(Optional.of(new Fake()), "task", this::pause);

    private int flushed;
    private int paused;
    private int pausesOfTheCompaction;

    private void pause() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("given up");
        }
        paused++;
    }

    private Duration flush(Flush which) {
        return preparation.flushAhead(STATES, which).orElseThrow().run();
    }

    /** Where compactions never keep up, the log would only grow. */
    @Test
    void putsASnapshotOffTenTimesInARowAtMost() {
        for (int row = 0; row < 3; row++) {
            for (int i = 0; i < 10; i++) {
                assertThat(preparation.putOff(STATES)).isTrue();
            }
            assertThat(preparation.putOff(STATES)).isFalse();
        }
    }

    @Test
    void aSnapshotThatDoesNotStallEndsTheRow() {
        for (int i = 0; i < 9; i++) {
            assertThat(preparation.putOff(STATES)).isTrue();
        }
        stalls = false;
        assertThat(preparation.putOff(STATES)).isFalse();

        stalls = true;
        for (int i = 0; i < 10; i++) {
            assertThat(preparation.putOff(STATES)).isTrue();
        }
    }

    @Test
    void flushesAgainOnlyWhatIsMuch() {
        assertThat(preparation.flushAhead(STATES, Flush.FIRST)).isPresent();
        assertThat(preparation.flushAhead(STATES, Flush.AGAIN)).isEmpty();

        entries = 2_000;
        assertThat(preparation.flushAhead(STATES, Flush.AGAIN)).isPresent();
    }

    /** Else the snapshot has the rows of the last files twice. */
    @Test
    void waitsForTheCompactionThatFollowsAFlush() {
        assertThat(flush(Flush.FIRST)).isZero();
        assertThat(flushed).isOne();
        assertThat(paused).as("there is none").isZero();

        pausesOfTheCompaction = 7;
        assertThat(flush(Flush.FIRST)).isEqualTo(Duration.ofMillis(700));
        assertThat(flushed).isEqualTo(2);
        assertThat(paused).isEqualTo(7);
    }

    /** Where compactions never keep up, no materialization would begin. */
    @Test
    void waitsForTwoSecondsAtMostBeforeASnapshot() {
        pausesOfTheCompaction = 10;
        flush(Flush.FIRST);
        assertThat(paused).isEqualTo(10);

        pausesOfTheCompaction = Integer.MAX_VALUE;
        entries = 2_000;
        assertThat(flush(Flush.AGAIN)).as("by itself").isEqualTo(Duration.ofSeconds(1));
        assertThat(paused).isEqualTo(20);
        flush(Flush.AGAIN);
        assertThat(paused).isEqualTo(20);

        flush(Flush.FIRST);
        assertThat(paused).as("the next snapshot").isEqualTo(40);
    }

    /** The task may have written a few large values meanwhile. */
    @Test
    void flushesWhateverThereIsAfterAWait() {
        pausesOfTheCompaction = 1;
        flush(Flush.FIRST);

        assertThat(preparation.flushAhead(STATES, Flush.AGAIN)).isEmpty();
        entries = 1;
        flush(Flush.AGAIN);
        assertThat(preparation.flushAhead(STATES, Flush.AGAIN)).as("it has not waited").isEmpty();
    }

    /** What the task writes meanwhile would be flushed by the snapshot, on its thread. */
    @Test
    void doesNotWaitAfterTheLastFlush() {
        flush(Flush.FIRST);
        pausesOfTheCompaction = Integer.MAX_VALUE;
        entries = 2_000;
        assertThat(flush(Flush.LAST)).isZero();

        assertThat(flushed).isEqualTo(2);
        assertThat(paused).isZero();
    }

    @Test
    void waitsNoMoreOnceItIsGivenUp() {
        pausesOfTheCompaction = Integer.MAX_VALUE;
        Thread.currentThread().interrupt();
        flush(Flush.FIRST);

        assertThat(Thread.interrupted()).as("its thread is told, too").isTrue();
        assertThat(paused).isZero();
    }

    @Test
    void aDelegateWithoutMemtablesIsNeitherFlushedNorWaitedFor() {
        SnapshotPreparation none = new SnapshotPreparation(Optional.empty(), "task", this::pause);

        assertThat(none.flushAhead(STATES, Flush.FIRST)).isEmpty();
        assertThat(none.putOff(STATES)).isFalse();
    }

    private final class Fake implements Memtables {
        @Override
        public Runnable flush(Collection<String> states) {
            return () -> flushed++;
        }

        @Override
        public BooleanSupplier compacting(Collection<String> states) {
            return () -> paused < pausesOfTheCompaction;
        }

        @Override
        public long entries(Collection<String> states) {
            return entries;
        }

        @Override
        public boolean wouldStall(Collection<String> states) {
            return stalls;
        }

        @Override
        public void close() {}
    }
}
