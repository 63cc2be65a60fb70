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
package io.dstl.fs.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.LogHarness;
import io.dstl.fs.testing.UntraceableException;
import io.dstl.registry.SegmentRegistry;
import io.dstl.registry.WriterId;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SegmentBatcherTest {

    private static final WriterId FIRST = new WriterId("first");
    private static final WriterId SECOND = new WriterId("second");
    private static final String UNWANTED = ": Nobody needs the change set any more";

    private final ScriptedStore store = new ScriptedStore();
    private final LogHarness harness = new LogHarness(store);
    private final ManualTimer timer = harness.timer;
    private final SegmentRegistry registry = harness.registry;
    private final SegmentBatcher batcher = harness.batcher;
    private final List<String> outcomes = new ArrayList<>();
    private final Set<String> unwanted = new HashSet<>();

    @Test
    void gathersUntilTheDelayOfTheFirstIsOver() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY.minusMillis(1));
        batcher.submit(submission("b", Epoch.first(), 1));
        assertThat(store.puts()).isZero();
        assertThat(batcher.size()).isEqualTo(2);

        timer.advance(Duration.ofMillis(1));
        store.succeedAll();

        assertThat(store.objects()).hasSize(1);
        assertThat(outcomes).containsExactly("a stored at 0", "b stored at 17");
        assertThat(batcher.size()).isZero();
    }

    @Test
    void waitsNoLongerWhenTheBatchIsFull() throws Exception {
        batcher.submit(submission("a", Epoch.first(), LogHarness.BATCH_BYTES / 2));
        assertThat(store.puts()).isZero();
        batcher.submit(submission("b", Epoch.first(), LogHarness.BATCH_BYTES / 2));

        assertThat(store.puts()).isEqualTo(1);
        assertThat(timer.size()).isZero();
    }

    @Test
    void waitsNoLongerWhenEveryWriterIsIn() throws Exception {
        batcher.openWriter(FIRST);
        batcher.openWriter(SECOND);
        batcher.submit(submission("a", Epoch.first(), 1));
        batcher.reached(FIRST, 1);
        assertThat(store.puts()).isZero();

        batcher.reached(SECOND, 1);
        assertThat(store.puts()).isEqualTo(1);

        batcher.closeWriter(SECOND);
        batcher.submit(submission("b", Epoch.first().after(1), 1));
        batcher.reached(FIRST, 2);
        assertThat(store.puts()).isEqualTo(2);
    }

    @Test
    void doesNotWaitWithoutADelay() throws Exception {
        harness.batcher(Duration.ZERO).submit(submission("a", Epoch.first(), 1));

        assertThat(store.puts()).isEqualTo(1);
    }

    @Test
    void neverMixesEpochs() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        batcher.submit(submission("b", Epoch.first().after(1), 1));
        batcher.submit(submission("c", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);
        store.succeedAll();

        assertThat(store.objects()).hasSize(2);
        assertThat(outcomes)
                .containsExactlyInAnyOrder("a stored at 0", "b stored at 0", "c stored at 17");
    }

    /** A writer that has been told of a failure submits its change set again. */
    @Test
    void whatTheTimerFailsToWaitForIsStoredOnceWhenItComesAgain() throws Exception {
        Submission submission = submission("a", Epoch.first(), 1);
        timer.failNext(new Error("unable to create native thread"));
        batcher.submit(submission);
        assertThat(batcher.size()).isZero();

        batcher.submit(submission);
        timer.advance(LogHarness.DELAY);
        store.succeedAll();
        assertThat(outcomes)
                .containsExactly("a failed: unable to create native thread", "a stored at 0");
    }

    @Test
    void aFailureIsToldToEachWriter() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        batcher.submit(submission("b", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);
        store.put(0).fail(new IOException("503"));

        assertThat(outcomes).containsExactly("a failed: 503", "b failed: 503");
    }

    @Test
    void aFailureThatCannotBeReportedIsToldToEachWriterToo() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        batcher.submit(submission("b", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);
        store.put(0).fail(new UntraceableException("can't be shown"));

        assertThat(outcomes)
                .containsExactly("a failed: can't be shown", "b failed: can't be shown");
    }

    @Test
    void closingFailsWhatWaitsAndWhatRuns() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);
        batcher.submit(submission("b", Epoch.first(), 1));
        batcher.close();
        batcher.submit(submission("c", Epoch.first(), 1));

        assertThat(outcomes).hasSize(3).allMatch(outcome -> outcome.contains("failed"));
        store.put(0).succeed();
        assertThat(store.objects()).isEmpty();
    }

    /** Another thread closes between its look and its put. */
    @Test
    void closingGivesUpWhatBeginsAtThatMoment() throws Exception {
        store.onPut(put -> batcher.close());
        batcher.submit(submission("a", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);

        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome.contains("failed"));
        assertThat(store.put(0).isCancelled()).isTrue();
    }

    /** All that has piled up would share the link, and the oldest checkpoint be done last. */
    @Test
    void behindAFailureAFewAreUnderWayAndTheOldestGoesFirst() throws Exception {
        SegmentBatcher undelayed = harness.batcher(Duration.ZERO);
        Epoch second = Epoch.first().after(1);
        for (String name : new String[] {"a", "b", "c"}) {
            undelayed.submit(submission(name, second, 1));
        }
        assertThat(store.puts()).as("the store takes all").isEqualTo(3);
        store.put(0).fail(new IOException("503"));
        store.put(1).fail(new IOException("503"));
        undelayed.submit(submission("d", second, 1));
        assertThat(store.puts()).as("c and d").isEqualTo(4);

        undelayed.submit(submission("e", second.after(2), 1));
        undelayed.submit(submission("f", second, LogHarness.BATCH_BYTES));
        undelayed.submit(submission("g", Epoch.first(), 1));
        undelayed.submit(submission("h", second, LogHarness.BATCH_BYTES));
        assertThat(store.puts()).isEqualTo(4);
        assertThat(undelayed.size()).isEqualTo(4);

        outcomes.clear();
        while (outcomes.size() < 6) {
            store.put(2 + outcomes.size()).succeed();
        }
        assertThat(outcomes)
                .extracting(outcome -> outcome.charAt(0))
                .containsExactly('c', 'd', 'g', 'f', 'h', 'e');
        assertThat(undelayed.size()).isZero();
    }

    @Test
    void eachSegmentStoredMakesRoomForOneMore() throws Exception {
        SegmentBatcher undelayed = harness.batcher(Duration.ZERO);
        undelayed.submit(submission("a", Epoch.first(), 1));
        store.put(0).fail(new IOException("503"));
        for (int i = 0; i < 10; i++) {
            undelayed.submit(submission("b", Epoch.first(), LogHarness.BATCH_BYTES));
        }
        assertThat(store.puts()).isEqualTo(1 + 2);
        store.put(1).succeed();
        assertThat(store.puts()).isEqualTo(1 + 4);
        store.put(2).succeed();
        assertThat(store.puts()).isEqualTo(1 + 6);
        store.put(3).fail(new IOException("503"));
        assertThat(store.puts()).as("few again").isEqualTo(1 + 6);

        store.succeedAll();
        store.succeedAll();
        store.succeedAll();
        assertThat(undelayed.size()).isZero();
        int before = store.puts();
        for (int i = 0; i < 10; i++) {
            undelayed.submit(submission("c", Epoch.first(), 1));
        }
        assertThat(store.puts()).as("without a bound").isEqualTo(before + 10);
    }

    @Test
    void whatNobodyWantsAnyMoreIsNotGathered() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        batcher.submit(submission("b", Epoch.first(), LogHarness.BATCH_BYTES - 40));
        batcher.submit(submission("c", Epoch.first().after(1), 1));
        withdraw("b", "c");
        assertThat(outcomes)
                .containsExactlyInAnyOrder("b failed" + UNWANTED, "c failed" + UNWANTED);
        assertThat(timer.size()).as("batches").isEqualTo(1);
        batcher.submit(submission("d", Epoch.first(), 1));
        assertThat(store.puts()).as("the batch is not full").isZero();

        timer.advance(LogHarness.DELAY);
        store.succeedAll();
        assertThat(outcomes).endsWith("a stored at 0", "d stored at 17");
    }

    /** It would fill the heap, and be sent ahead of what a new attempt of the job needs. */
    @Test
    void whatNobodyWantsAnyMoreDoesNotWaitBehindAFailure() throws Exception {
        Epoch second = Epoch.first().after(1);
        for (String name : new String[] {"a", "b", "c"}) {
            batcher.submit(submission(name, Epoch.first(), 1));
            batcher.flush();
            if (name.equals("a")) {
                store.put(0).fail(new IOException("503"));
            }
        }
        batcher.submit(submission("d", Epoch.first(), 1));
        batcher.flush();
        batcher.submit(submission("e", second, 1));
        batcher.submit(submission("f", second, 1));
        batcher.flush();
        assertThat(batcher.size()).isEqualTo(3);
        outcomes.clear();
        withdraw("b", "d", "e");
        assertThat(batcher.size()).isEqualTo(1);
        assertThat(outcomes)
                .containsExactlyInAnyOrder("d failed" + UNWANTED, "e failed" + UNWANTED);

        store.put(1).succeed();
        store.put(3).succeed();
        assertThat(outcomes).endsWith("b stored at 0", "f stored at 0");
    }

    /** Its log was closed while a thread was about to take it from one line to the other. */
    @Test
    void whatNobodyWantsAnyMoreTakesNoRoom() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        unwanted.add("a");
        batcher.flush();

        assertThat(outcomes).containsExactly("a failed" + UNWANTED);
        assertThat(store.puts()).isZero();
    }

    /** It gets fewer requests the longer each takes it. */
    @Test
    void whatTheStoreIsTooSlowForSharesSegments() throws Exception {
        SegmentBatcher undelayed = harness.batcher(Duration.ZERO);
        for (int i = 0; i < Backlog.MOST; i++) {
            undelayed.submit(submission("first", Epoch.first(), 1));
        }
        assertThat(store.puts()).isEqualTo(Backlog.MOST);
        Epoch second = Epoch.first().after(1);
        undelayed.submit(submission("later", second, 1));
        undelayed.submit(submission("large", Epoch.first(), LogHarness.BATCH_BYTES));
        undelayed.submit(submission("a", Epoch.first(), 1));
        undelayed.submit(submission("b", Epoch.first(), 1));
        assertThat(store.puts()).isEqualTo(Backlog.MOST);
        assertThat(undelayed.size()).isEqualTo(4);

        for (int i = 0; i < 3; i++) {
            store.put(i).succeed();
        }
        outcomes.clear();
        assertThat(store.puts()).isEqualTo(Backlog.MOST + 3);
        assertThat(undelayed.size()).isZero();
        store.put(Backlog.MOST).succeed();
        store.put(Backlog.MOST + 1).succeed();
        store.put(Backlog.MOST + 2).succeed();

        assertThat(outcomes)
                .containsExactly(
                        "large stored at 0",
                        "a stored at 0",
                        "b stored at 17",
                        "later stored at 0");
    }

    private void withdraw(String... names) {
        unwanted.addAll(Arrays.asList(names));
        batcher.withdraw();
    }

    /** One after the other, not one within the other: any number may wait. */
    @Test
    void closingFailsAnyNumberThatWaitBehindAFailure() throws Exception {
        SegmentBatcher undelayed = harness.batcher(Duration.ZERO);
        undelayed.submit(submission("a", Epoch.first(), 1));
        store.put(0).fail(new IOException("503"));
        for (int i = 0; i < 3_000; i++) {
            undelayed.submit(submission("b", Epoch.first(), 1));
        }
        undelayed.close();

        assertThat(outcomes).hasSize(3_001).allMatch(outcome -> outcome.contains("failed"));
        assertThat(store.puts()).as("none begins after that").isEqualTo(1 + LogHarness.FEW);
        assertThat(undelayed.size()).isZero();
    }

    @Test
    void closingGivesUpAllThoughAWriterThrows() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);
        batcher.submit(
                new NamedSubmission("broken", changes(1), Epoch.first(), 1) {
                    @Override
                    protected void failed(Throwable cause) {
                        throw new IllegalStateException("broken writer");
                    }
                });
        batcher.submit(submission("b", Epoch.first(), 1));

        assertThatThrownBy(batcher::close).hasMessage("broken writer");
        assertThat(outcomes).hasSize(2).allMatch(outcome -> outcome.contains("failed"));
        assertThat(store.put(0).isCancelled()).isTrue();
    }

    @Test
    void anObjectThatCannotBeRegisteredIsDeleted() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);
        registry.close();
        store.succeedAll();

        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome.startsWith("a failed"));
        assertThat(store.objects()).isEmpty();
    }

    /** Whatever is asked of the changes after they are stored can fail: the writers hear of it. */
    @Test
    void anObjectThatCannotBeReferredToIsDeletedAndAllAreTold() throws Exception {
        ChangeSet sealed = changes(1);
        batcher.submit(new NamedSubmission("a", sealed, Epoch.first(), 1));
        batcher.submit(submission("b", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);

        store.put(0).succeed(sealed::release);

        assertThat(outcomes)
                .hasSize(2)
                .allMatch(outcome -> outcome.contains("failed: The memory is gone"));
        assertThat(store.objects()).isEmpty();
        assertThat(registry.liveSegments()).isZero();
    }

    @Test
    void aWriterThatThrowsKeepsTheNewsFromNoOther() throws Exception {
        batcher.submit(
                new NamedSubmission("broken", changes(1), Epoch.first(), 1) {
                    @Override
                    protected void stored(SegmentLocation location) {
                        throw new IllegalStateException("broken writer");
                    }
                });
        batcher.submit(submission("b", Epoch.first(), 1));
        timer.advance(LogHarness.DELAY);
        store.succeedAll();

        assertThat(outcomes).containsExactly("b stored at 17");
    }

    /** Else its writers would wait for ever: it is in no queue any more. */
    @Test
    void aBatchThatThereIsNoMemoryToSendFails() throws Exception {
        batcher.submit(submission("a", Epoch.first(), 1));
        batcher.submit(
                new NamedSubmission("b", changes(1), Epoch.first(), 1) {
                    @Override
                    protected boolean isWanted() {
                        throw new OutOfMemoryError("Java heap space");
                    }
                });
        batcher.submit(submission("c", Epoch.first().after(1), 1));

        assertThatThrownBy(batcher::flush).isInstanceOf(OutOfMemoryError.class);
        store.succeedAll();

        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        "a failed: Java heap space", "b failed: Java heap space", "c stored at 0");
        assertThat(batcher.size()).isZero();
    }

    private static ChangeSet changes(int bytes) throws IOException {
        Changes changes = new Changes();
        changes.add(1, new byte[bytes]);
        return changes.seal();
    }

    private Submission submission(String name, Epoch epoch, int bytes) throws IOException {
        return new NamedSubmission(name, changes(bytes), epoch, bytes);
    }

    private class NamedSubmission extends Submission {

        private final String name;
        private final Epoch epoch;

        NamedSubmission(String name, ChangeSet changes, Epoch epoch, int bytes) {
            super(changes, 16 + bytes);
            this.name = name;
            this.epoch = epoch;
        }

        @Override
        protected Epoch epoch() {
            return epoch;
        }

        @Override
        protected boolean isWanted() {
            return !unwanted.contains(name);
        }

        @Override
        protected void stored(SegmentLocation location) {
            outcomes.add(name + " stored at " + location.offset());
        }

        @Override
        protected void failed(Throwable cause) {
            // That of the request, if a put has failed.
            Throwable shown = cause.getCause() == null ? cause : cause.getCause();
            outcomes.add(name + " failed: " + shown.getMessage());
        }
    }
}
