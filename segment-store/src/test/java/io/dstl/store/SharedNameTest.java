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
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;

/** Several attempts to one name, in a store that replaces objects. */
class SharedNameTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final String OBJECT = "memory/segment";

    private final ScriptedStore store = new ScriptedStore(Naming.REPLACES);
    private final ManualTimer timer = new ManualTimer();
    private final ManualExecutor cleanups = new ManualExecutor();
    private final StartedPuts puts = new StartedPuts();
    private final PutRules rules =
            PutRules.of(
                    new RetrySettings(2, Optional.of(TIMEOUT), PAUSE),
                    Long.MAX_VALUE,
                    () -> 0.5,
                    timer::nanos,
                    PutObserver.NONE);
    private final PutContext retrying =
            new PutContext(
                    store,
                    rules,
                    timer,
                    () -> {
                        throw new AssertionError("no attempt needs a name of its own");
                    },
                    new Cleanups(cleanups, timer),
                    PutObserver.NONE);
    private final CompletableFuture<FileStateHandle> put = puts.put(retrying, "segment");

    private void twoAttempts() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(1).begin();
    }

    @Test
    void allAttemptsShareTheName() {
        twoAttempts();

        assertThat(store.put(0).name()).isEqualTo(OBJECT);
        assertThat(store.put(1).name()).isEqualTo(OBJECT);
    }

    /** As R2 and Google Cloud Storage answer the second write of a second to one name. */
    @Test
    void aStoreThatRefusesTheSecondRequestForTheNameThrottlesNothingElse() {
        twoAttempts();
        store.put(0).fail(new ThrottledException("429", null, true));

        assertThat(rules.pace.isBounded()).isFalse();
    }

    @Test
    void itThrottlesWhereItRefusesTheOnlyOne() {
        store.put(0).begin().refuse(new ThrottledException("429", null, true));
        assertThat(rules.pace.isBounded()).isTrue();
    }

    @Test
    void itThrottlesWhereTheFirstHadFailedBefore() {
        store.put(0).begin().fail(new IOException("reset"));
        timer.advance(PAUSE);
        store.put(1).begin().fail(new ThrottledException("429", null, true));

        assertThat(rules.pace.isBounded()).isTrue();
    }

    @Test
    void itThrottlesWhereItHasRefusedBoth() {
        twoAttempts();
        store.put(0).refuse(new ThrottledException("429", null, true));
        assertThat(rules.pace.isBounded()).isFalse();
        store.put(1).refuse(new ThrottledException("429", null, true));

        assertThat(rules.pace.isBounded()).isTrue();
    }

    @Test
    void aLoserDeletesNothing() {
        twoAttempts();
        store.put(1).succeed();
        assertThat(store.put(0).isCancelled()).isFalse();
        store.put(0).succeed();
        cleanups.runAll();

        assertThat(put).isCompleted();
        assertThat(store.objects()).containsExactly(OBJECT);
    }

    @Test
    void aLoserThatFailsDeletesNothing() {
        twoAttempts();
        store.put(1).succeed();
        store.put(0).fail(new IOException("reset"));
        cleanups.runAll();

        assertThat(store.objects()).containsExactly(OBJECT);
    }

    @Test
    void aLoserThatHasNotBegunNeverDoes() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(0).succeed();

        assertThat(put).isCompleted();
        assertThat(store.put(1).isCancelled()).isTrue();
    }

    /** The loser's request arrives after the deletion: without a second one it would stay. */
    @Test
    void aDeletionIsRepeatedAfterTheLastAttempt() throws Exception {
        twoAttempts();
        store.put(1).succeed();
        retrying.delete(put.get());
        assertThat(store.objects()).isEmpty();

        store.put(0).succeed();
        assertThat(store.objects()).containsExactly(OBJECT);
        cleanups.runAll();

        assertThat(store.objects()).isEmpty();
    }

    @Test
    void aDeletionWithNoAttemptUnderWayIsOneRequest() throws Exception {
        store.put(0).begin().succeed();
        retrying.delete(put.get());

        assertThat(cleanups.size()).isZero();
        assertThat(store.objects()).isEmpty();
    }

    @Test
    void whatAttemptsStoreAfterThePutHasFailedIsDeletedWithTheLast() {
        twoAttempts();
        timer.advance(TIMEOUT);
        assertThat(put).isCompletedExceptionally();
        assertThat(store.put(0).isCancelled()).isTrue();
        assertThat(store.put(1).isCancelled()).isTrue();

        store.put(1).succeed();
        cleanups.runAll();
        assertThat(store.objects()).containsExactly(OBJECT);
        store.put(0).succeed();
        cleanups.runAll();

        assertThat(store.objects()).isEmpty();
    }

    /** The first failed, but its answer was lost on the way: the object is there. */
    @Test
    void whatAFailedPutMayHaveStoredIsDeleted() throws Exception {
        store.put(0).begin().succeed();
        CompletableFuture<FileStateHandle> other = puts.put(retrying, "other");
        for (int attempt = 1; attempt <= 2; attempt++) {
            store.put(attempt).begin().fail(new IOException("no answer"));
            timer.advance(PAUSE);
        }
        assertThat(other).isCompletedExceptionally();
        store.add("other");
        cleanups.runAll();

        assertThat(store.objects()).containsExactly(OBJECT);
    }

    private static ThrottledException throttled() {
        return new ThrottledException("503", null);
    }

    /** Deletions would only be more requests to a store that asks for fewer. */
    @Test
    void nothingIsDeletedAfterAPutWhoseEveryAttemptTheStoreHasRefused() {
        store.put(0).begin().refuse(throttled());
        timer.advance(PAUSE);
        store.put(1).begin().refuse(throttled());
        assertThat(put).isCompletedExceptionally();
        timer.advance(Duration.ofMinutes(10));

        assertThat(cleanups.size()).isZero();
    }

    /** A load balancer answers it too, and may have lost the store's answer. */
    @Test
    void a503IsNoWordOfTheStoreThatNothingIsThere() {
        store.put(0).begin().refuse(throttled());
        timer.advance(PAUSE);
        store.put(1).begin().fail(throttled());
        assertThat(put).isCompletedExceptionally();
        store.add("segment");
        cleanups.runAll();

        assertThat(store.objects()).isEmpty();
    }

    @Test
    void anAttemptWithoutAnAnswerIsDeletedThoughTheOtherWasRefused() {
        twoAttempts();
        store.put(1).refuse(throttled());
        timer.advance(TIMEOUT);
        assertThat(put).isCompletedExceptionally();
        store.put(0).succeed();
        assertThat(store.objects()).containsExactly(OBJECT);
        cleanups.runAll();

        assertThat(store.objects()).isEmpty();
    }

    /** The store may carry out what was aborted before it has answered. */
    @Test
    void givingUpBesideARefusedAttemptDeletesToo() {
        twoAttempts();
        store.put(0).refuse(throttled());
        put.cancel(false);
        store.put(1).succeed();
        cleanups.runAll();

        assertThat(store.objects()).isEmpty();
    }

    @Test
    void givingUpDeletesWhatTheAttemptStores() {
        store.put(0).begin();
        put.cancel(false);
        cleanups.runAll();
        store.put(0).succeed();
        cleanups.runAll();

        assertThat(store.objects()).isEmpty();
    }
}
