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

import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.SegmentContent;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that hang while another attempt has stored their segment. */
class LosingRequestsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Half of it for requests that have lost. */
    private static final int MAX_REQUESTS = 6;

    private static final long MAX_BYTES = 100;

    private final ScriptedStore store = new ScriptedStore(Naming.REPLACES);
    private final ManualTimer timer = new ManualTimer();
    private final ManualExecutor cleanups = new ManualExecutor();
    private final StartedPuts puts = new StartedPuts();
    private PutContext context;

    @BeforeEach
    void start() {
        start(2);
    }

    private void start(int attempts) {
        store.runsAtMost(MAX_REQUESTS);
        context =
                new PutContext(
                        store,
                        PutRules.of(
                                new RetrySettings(attempts, Optional.of(TIMEOUT), Duration.ZERO),
                                MAX_BYTES,
                                () -> 0.5,
                                timer::nanos,
                                PutObserver.NONE),
                        timer,
                        () -> {
                            throw new AssertionError("all requests share a name");
                        },
                        new Cleanups(cleanups, timer),
                        PutObserver.NONE);
    }

    /** The first request hangs, and the second one, whose number is returned plus 1, succeeds. */
    private int hangs(long bytes) {
        return hangs("segment-" + store.puts(), bytes).number;
    }

    private Hung hangs(String name, long bytes) {
        int first = store.puts();
        CompletableFuture<FileStateHandle> put = puts.put(context, name, new Content(bytes));
        store.put(first).begin();
        timer.advance(TIMEOUT);
        store.put(first + 1).begin().succeed();
        assertThat(put).isCompleted();
        return new Hung(first, put);
    }

    private void put(String name, long bytes) {
        puts.put(context, name, new Content(bytes));
    }

    private static final class Hung {
        private final int number;
        private final CompletableFuture<FileStateHandle> put;

        private Hung(int number, CompletableFuture<FileStateHandle> put) {
            this.number = number;
            this.put = put;
        }
    }

    private static final class Content implements SegmentContent {
        private final long bytes;

        private Content(long bytes) {
            this.bytes = bytes;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(1);
        }

        @Override
        public long expectedBytes() {
            return bytes;
        }
    }

    @Test
    void aboveHalfOfTheRequestsThoseThatLostFirstAreAborted() {
        int[] hung = {hangs(1), hangs(1), hangs(1)};
        for (int request : hung) {
            assertThat(store.put(request).isCancelled()).isFalse();
        }

        hangs(1);
        assertThat(store.put(hung[0]).isCancelled()).isTrue();
        assertThat(store.put(hung[1]).isCancelled()).isFalse();
        hangs(1);
        assertThat(store.put(hung[1]).isCancelled()).isTrue();
        assertThat(store.put(hung[2]).isCancelled()).isFalse();
    }

    @Test
    void aboveTheBytesThoseThatLostFirstAreAborted() {
        int first = hangs(40);
        int second = hangs(60);
        assertThat(store.put(first).isCancelled()).isFalse();

        hangs(1);
        assertThat(store.put(first).isCancelled()).isTrue();
        assertThat(store.put(second).isCancelled()).isFalse();
    }

    @Test
    void oneAloneAboveTheBytesIsAborted() {
        assertThat(store.put(hangs(MAX_BYTES + 1)).isCancelled()).isTrue();
        assertThat(store.put(hangs(MAX_BYTES)).isCancelled()).isFalse();
    }

    /** They share the bytes. */
    @Test
    void severalOfOnePutCountTheBytesOnce() {
        start(3);
        put("segment", 60);
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(1).begin();
        timer.advance(TIMEOUT);
        store.put(2).begin().succeed();
        assertThat(store.put(0).isCancelled()).isFalse();
        assertThat(store.put(1).isCancelled()).isFalse();

        store.put(0).succeed();
        hangs(41);
        assertThat(store.put(1).isCancelled()).as("it still holds the bytes").isTrue();
    }

    @Test
    void thoseThatHaveEndedDoNotCount() {
        int first = hangs(60);
        int second = hangs(40);
        store.put(first).succeed();
        store.put(second).fail(new IOException("reset"));

        int third = hangs(60);
        int fourth = hangs(40);
        assertThat(store.put(third).isCancelled()).isFalse();
        assertThat(store.put(fourth).isCancelled()).isFalse();
    }

    @Test
    void theWinnerDoesNotCount() {
        for (int put = 0; put < 2 * MAX_REQUESTS; put++) {
            int number = store.puts();
            put("segment-" + number, MAX_BYTES);
            store.put(number).begin().succeed();
        }

        assertThat(store.put(hangs(MAX_BYTES)).isCancelled()).isFalse();
    }

    /** As OkHttp does: an aborted call fails, on another thread. */
    @Test
    void anAbortedOneEndsItsPut() {
        Hung hung = hangs("segment", MAX_BYTES + 1);
        assertThat(puts.hasEnded(hung.put)).isFalse();
        store.put(hung.number).fail(new IOException("Canceled"));

        assertThat(puts.hasEnded(hung.put)).isTrue();
    }

    /** The store carries it out after the segment was deleted, and its client has seen it end. */
    @Test
    void whatAnAbortedOneStoresAfterTheDeletionIsDeletedToo() throws Exception {
        Hung hung = hangs("segment", MAX_BYTES + 1);
        store.put(hung.number).fail(new IOException("Canceled"));
        timer.advance(LoserDeletion.STRAY_REQUEST.dividedBy(2));
        context.delete(hung.put.get());
        assertThat(store.objects()).isEmpty();
        store.add("segment");

        timer.advance(LoserDeletion.STRAY_REQUEST.dividedBy(2));
        cleanups.runAll();
        assertThat(store.objects()).isEmpty();
    }

    /** Nothing else would delete it: the timer ends with the job. */
    @Test
    void whatAnAbortedOneStoresAtLastIsDeletedAfterTheTimersEnd() throws Exception {
        Hung hung = hangs("segment", MAX_BYTES + 1);
        context.delete(hung.put.get());
        timer.shutdown();
        store.put(hung.number).succeed();
        cleanups.runAll();

        assertThat(store.objects()).isEmpty();
    }

    /** It is given up as one that has not begun, and begins at that moment. */
    @Test
    void oneThatBeginsAsItIsGivenUpIsFollowedToo() throws Exception {
        followsOneGivenUp(
                () -> store.put(1).begin(), () -> store.put(1).fail(new IOException("Canceled")));
    }

    @Test
    void oneThatBeginsAndEndsAsItIsGivenUpIsFollowedToo() throws Exception {
        followsOneGivenUp(() -> store.put(1).begin().fail(new IOException("Canceled")), () -> {});
    }

    /** The store's client does not know yet that it was cancelled. */
    @Test
    void oneThatBeginsAfterItWasGivenUpIsFollowedToo() throws Exception {
        followsOneGivenUp(() -> {}, () -> store.put(1).begin().fail(new IOException("Canceled")));
    }

    private void followsOneGivenUp(Runnable onCancel, Runnable afterwards) throws Exception {
        CompletableFuture<FileStateHandle> put = puts.put(context, "segment", new Content(1));
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(1).onCancel(onCancel);
        store.put(0).succeed();
        assertThat(store.put(1).isCancelled()).isTrue();
        afterwards.run();
        context.delete(put.get());
        store.add("segment");

        timer.advance(LoserDeletion.STRAY_REQUEST);
        cleanups.runAll();
        assertThat(store.objects()).isEmpty();
    }

    @Test
    void aSegmentIsKeptAfterAnAbort() {
        Hung hung = hangs("segment", MAX_BYTES + 1);
        store.put(hung.number).fail(new IOException("Canceled"));
        timer.advance(LoserDeletion.STRAY_REQUEST);
        cleanups.runAll();

        assertThat(store.objects()).containsExactly("memory/segment");
    }

    @Test
    void abortsAfterTheTimersEnd() throws Exception {
        Hung first = hangs("segment", MAX_BYTES);
        int number = store.puts();
        put("other", 1);
        store.put(number).begin();
        timer.advance(TIMEOUT);
        store.put(number + 1).begin();
        timer.shutdown();
        store.put(number + 1).succeed();

        assertThat(store.put(first.number).isCancelled()).isTrue();
        store.put(first.number).fail(new IOException("Canceled"));
        context.delete(first.put.get());
        assertThat(cleanups.size()).isZero();
    }
}
