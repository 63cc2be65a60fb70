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
package io.dstl.store.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.s3.auth.CachedCredentials.TemporaryCredentials;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.io.IOException;
import java.security.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;

class RenewedCredentialsTest {

    private final List<String> heard = new ArrayList<>();
    private final Map<String, Provider> providers = new LinkedHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final ManualTimer timer = new ManualTimer();
    private String failure = "";

    private RenewedCredentials chain() {
        return chain(Runnable::run);
    }

    private RenewedCredentials chain(Executor executor) {
        return new RenewedCredentials(
                new CredentialChain(providers),
                this::now,
                timer,
                executor,
                new RenewedCredentials.Listener() {
                    @Override
                    public void failing(CachedCredentials inUse, String reason) {
                        heard.add(inUse + ": " + reason);
                    }

                    @Override
                    public void recovered(String place) {
                        heard.add("again from " + place);
                    }
                });
    }

    private Instant now() {
        return Instant.parse("2026-01-01T00:00:00Z").plusNanos(timer.nanos());
    }

    private Credentials credentials() {
        return new Credentials(key(), "secret", null, null);
    }

    /** Temporary ones, which end after that time. */
    private Credentials credentials(Duration life) {
        return new TemporaryCredentials(key(), "secret", "token", now().plus(life));
    }

    private String key() {
        int number = asked.incrementAndGet();
        if (!failure.isEmpty()) {
            throw new ProviderException(failure);
        }
        return "key-" + number;
    }

    private void failing(String place, RuntimeException answer) {
        providers.put(
                place,
                () -> {
                    throw answer;
                });
    }

    private RenewedCredentials ofRole(Duration life) {
        providers.put("web identity", () -> credentials(life));
        return chain();
    }

    /** An error on the storage's timer would end the process. The HTTP client has threads too. */
    @Test
    void renewsLaterWhereThereIsNoThreadForIt() {
        Error none = new OutOfMemoryError("unable to create native thread");
        ManualExecutor threads = new ManualExecutor();
        providers.put(
                "web identity",
                () -> {
                    if (asked.compareAndSet(1, 2)) {
                        throw none;
                    }
                    return credentials(Duration.ofHours(1));
                });
        RenewedCredentials chain = chain(threads);
        assertKey(chain, 1);
        threads.failNext(none);
        timer.runNext();
        assertThat(timer.delays()).containsExactly(RenewedCredentials.AFTER_ERROR);

        timer.runNext();
        assertThatThrownBy(threads::runAll).isSameAs(none);
        assertThat(timer.delays()).containsExactly(RenewedCredentials.AFTER_ERROR);

        timer.runNext();
        threads.runAll();
        assertKey(chain, 3);
    }

    private static void assertKey(RenewedCredentials chain, int number) {
        assertThat(chain.fetch().accessKey()).isEqualTo("key-" + number);
    }

    @Test
    void takesTheFirstThatHasSome() {
        failing("nothing set", new NullPointerException("AccessKey must not be null"));
        providers.put("file", this::credentials);
        providers.put("never", this::credentials);

        assertKey(chain(), 1);
        assertThat(asked).hasValue(1);
    }

    @Test
    void asksAgainAfterAMinuteWhereTheyHaveNoEnd() {
        providers.put("file", this::credentials);
        RenewedCredentials chain = chain();

        assertKey(chain, 1);
        timer.advance(Duration.ofSeconds(59));
        assertKey(chain, 1);
        timer.advance(Duration.ofSeconds(1));
        assertKey(chain, 2);
    }

    @Test
    void keepsWhatItHasWhileNobodyAnswers() {
        providers.put("file", this::credentials);
        RenewedCredentials chain = chain();
        chain.fetch();
        failure = "being written";
        timer.advance(Duration.ofMinutes(1));
        assertKey(chain, 1);
        timer.advance(Duration.ofMinutes(1));
        assertKey(chain, 1);

        assertThat(heard)
                .containsExactly(
                        "have no end, and are used on:"
                                + " No credentials for S3 from file (being written)");
    }

    /** Nor are leftover keys, behind a role whose service does not answer for once. */
    @Test
    void isNotTakenForAnotherWhereTheFirstFailsOnce() {
        providers.put("role", this::credentials);
        providers.put("leftover keys", () -> new Credentials("leftover", "secret", null, null));
        RenewedCredentials chain = chain();
        chain.fetch();
        failure = "no answer for once";
        timer.advance(Duration.ofMinutes(1));

        assertKey(chain, 1);
    }

    /** As STS in the minute in which a whole cluster starts. */
    @Test
    void isNotTakenForTheNodesWhereTheServiceOfTheRoleDoesNotAnswerYet() {
        providers.put(
                "web identity",
                () -> {
                    if (asked.getAndIncrement() == 0) {
                        throw new CredentialChain.UnavailableException("STS answered 503", null);
                    }
                    return new Credentials("role", "secret", null, null);
                });
        providers.put("instance metadata", () -> new Credentials("node", "secret", null, null));
        RenewedCredentials chain = chain();

        assertThatThrownBy(chain::fetch)
                .hasMessage(
                        "No credentials for S3 from web identity (STS answered 503), which has to"
                                + " answer before the next place is asked");
        timer.advance(Duration.ofSeconds(1));
        assertThat(chain.fetch().accessKey()).isEqualTo("role");
    }

    @Test
    void saysWhereItLooked() {
        failing(
                "profile file",
                new ProviderException("Unable to read", new IOException("no such file")));
        failing("instance metadata", new ProviderException("failed with 404"));

        assertThatThrownBy(() -> chain().fetch())
                .hasMessage(
                        "No credentials for S3 from profile file (Unable to read:"
                                + " java.io.IOException: no such file),"
                                + " instance metadata (failed with 404)")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
    }

    @Test
    void whoWaitsForAFailureDoesNotAskAgain() {
        RenewedCredentials chain = ofRole(Duration.ofHours(1));
        failure = "STS 500";
        assertThatThrownBy(chain::fetch).hasMessageContaining("STS 500");
        assertThatThrownBy(chain::fetch).hasMessageContaining("STS 500");
        assertThat(asked).hasValue(1);

        failure = "";
        timer.advance(Duration.ofSeconds(1));
        assertKey(chain, 2);
    }

    /** As one that cannot be reached does. */
    @Test
    void whoWaitsForASlowFailureDoesNotAskAgain() {
        providers.put(
                "metadata",
                () -> {
                    asked.incrementAndGet();
                    timer.advance(Duration.ofSeconds(5));
                    throw new ProviderException("timed out");
                });
        RenewedCredentials chain = chain();
        assertThatThrownBy(chain::fetch).hasMessageContaining("timed out");
        assertThatThrownBy(chain::fetch).hasMessageContaining("timed out");
        assertThat(asked).hasValue(1);
    }

    @Test
    void saysNothingOfWhatCouldNotBeParsed() {
        failing(
                "metadata",
                new ProviderException(
                        "Unable to parse", new IllegalStateException("SECRET-IN-BODY")));

        assertThatThrownBy(() -> chain().fetch())
                .satisfies(
                        e ->
                                assertThat(ExceptionUtils.stringifyException(e))
                                        .contains("IllegalStateException")
                                        .doesNotContain("SECRET-IN-BODY"));
    }

    /** As with a clock that is ahead. */
    @Test
    void thoseThatHaveEndedOnArrivalAreUsedForASecondAndSaidOnce() {
        RenewedCredentials chain = ofRole(Duration.ofSeconds(5));
        assertKey(chain, 1);
        assertKey(chain, 1);
        timer.advance(Duration.ofSeconds(1));
        assertKey(chain, 2);
        assertThat(heard)
                .containsExactly(
                        "are used until they end, at 2026-01-01T00:00:05Z: web identity gives"
                                + " credentials that have ended; is the clock right?");
    }

    @Test
    void renewsThoseOfAnHourFiveMinutesBeforeTheirEnd() {
        RenewedCredentials chain = ofRole(Duration.ofHours(1));
        assertKey(chain, 1);
        timer.advance(Duration.ofMinutes(55).minusMillis(1));
        assertThat(asked).hasValue(1);

        timer.advance(Duration.ofMillis(1));
        assertThat(asked).hasValue(2);
        assertKey(chain, 2);

        // And those again: no request has ever waited.
        timer.advance(Duration.ofMinutes(55));
        assertThat(asked).hasValue(3);
        assertKey(chain, 3);
    }

    @Test
    void renewsThoseOfAQuarterOfAnHourAtFourFifths() {
        RenewedCredentials chain = ofRole(Duration.ofMinutes(15));
        chain.fetch();
        timer.advance(Duration.ofMinutes(12).minusMillis(1));
        assertThat(asked).hasValue(1);
        timer.advance(Duration.ofMillis(1));
        assertThat(asked).hasValue(2);
    }

    @Test
    void usesTheOldOnesWhileARenewalFailsAndSaysItOnce() {
        RenewedCredentials chain = ofRole(Duration.ofHours(1));
        chain.fetch();
        failure = "STS service failed with HTTP status code 500";
        timer.advance(Duration.ofMinutes(58));
        // One at 55 minutes, and one after each half a minute.
        assertThat(asked).hasValue(8);
        assertKey(chain, 1);
        assertThat(heard)
                .containsExactly(
                        "are used until they end, at 2026-01-01T01:00:00Z: No credentials for S3"
                                + " from web identity (STS service failed with HTTP status code"
                                + " 500)");

        failure = "STS service failed with HTTP status code 403";
        timer.advance(Duration.ofSeconds(30));
        assertThat(heard).hasSize(2);
        assertThat(heard.get(1)).contains("403");

        failure = "";
        timer.advance(Duration.ofSeconds(30));
        assertThat(heard).hasSize(3);
        assertThat(heard.get(2)).isEqualTo("again from web identity");
        assertKey(chain, 10);
        assertThat(asked).hasValue(10);
    }

    @Test
    void failsRequestsOnlyOnceTheOldOnesHaveEnded() {
        RenewedCredentials chain = ofRole(Duration.ofHours(1));
        chain.fetch();
        failure = "STS 500";
        timer.advance(Duration.ofHours(1).minusSeconds(11));
        assertKey(chain, 1);

        timer.advance(Duration.ofSeconds(1));
        assertThatThrownBy(chain::fetch).hasMessageContaining("STS 500");

        failure = "";
        timer.advance(Duration.ofSeconds(1));
        int before = asked.get();
        assertKey(chain, before + 1);
    }

    /** As an instance's metadata service does until shortly before the end. */
    @Test
    void asksAgainWhereItGetsTheSameOnes() {
        Instant end = now().plus(Duration.ofHours(1));
        providers.put("metadata", () -> credentials(Duration.between(now(), end)));
        RenewedCredentials chain = chain();
        chain.fetch();
        timer.advance(Duration.ofMinutes(56));

        assertThat(asked).hasValue(4);
        assertThat(heard).isEmpty();
    }

    /** A service that hangs must not hold up requests. */
    @Test
    void requestsGoOnWhileARenewalIsUnderWay() throws Exception {
        whileARenewalHangs(chain -> assertKey(chain, 1), chain -> assertKey(chain, 2));
        assertThat(timer.size()).isOne();
    }

    /** Flink closes a job's storage on the main thread of the TaskManager. */
    @Test
    void closingDoesNotWaitForARenewalThatHangs() throws Exception {
        whileARenewalHangs(RenewedCredentials::close, chain -> {});
        assertThat(timer.size()).isZero();
    }

    private void whileARenewalHangs(
            Consumer<RenewedCredentials> meanwhile, Consumer<RenewedCredentials> afterwards)
            throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        providers.put(
                "hangs",
                () -> {
                    if (asked.get() == 1) {
                        begun.countDown();
                        await(over);
                    }
                    return credentials(Duration.ofHours(1));
                });
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            RenewedCredentials chain = chain(threads);
            chain.fetch();
            timer.advance(Duration.ofMinutes(55));
            begun.await();

            meanwhile.accept(chain);

            over.countDown();
            threads.submit(() -> {}).get();
            afterwards.accept(chain);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new ProviderException(e);
        }
    }

    @Test
    void nothingIsRenewedAfterClosing() {
        RenewedCredentials chain = ofRole(Duration.ofHours(1));
        chain.fetch();
        chain.close();
        assertThat(timer.size()).isZero();

        timer.advance(Duration.ofHours(1));
        assertThat(asked).hasValue(1);
        assertKey(chain, 2);
        assertThat(timer.size()).isZero();
    }

    /** The session was revoked, say; the end that the service told is far. */
    @Test
    void othersAreAskedForWhenTheStoreRefusesThemBeforeTheirEnd() {
        RenewedCredentials chain = ofRole(Duration.ofHours(1));
        Credentials first = chain.fetch();

        assertThat(chain.refused(first)).isFalse();
        assertThat(chain.refused(first)).isFalse();
        timer.advance(Duration.ZERO);

        assertKey(chain, 2);
        assertThat(chain.refused(first)).isTrue();
        assertThat(asked).hasValue(2);
    }

    @Test
    void refusalsDoNotFloodAServiceThatHasNoOthers() {
        Credentials only =
                new TemporaryCredentials("key", "secret", "token", now().plus(Duration.ofDays(1)));
        providers.put(
                "web identity",
                () -> {
                    asked.incrementAndGet();
                    return only;
                });
        RenewedCredentials chain = chain();
        chain.fetch();
        for (int second = 0; second < 60; second++) {
            assertThat(chain.refused(only)).isFalse();
            timer.advance(Duration.ofSeconds(1));
        }
        assertThat(asked).hasValue(1 + 2);

        timer.advance(Duration.ofHours(10));
        assertThat(asked).as("when nothing is refused").hasValue(1 + 2);
    }

    @Test
    void whoHasNoEndIsReadAgainAnyway() {
        providers.put("file", this::credentials);
        RenewedCredentials chain = chain();
        assertThat(chain.refused(credentials())).isFalse();
        assertThat(chain.refused(chain.fetch())).isFalse();
        assertThat(timer.size()).isZero();
    }

    @Test
    void requestsRenewWhereTheThreadsHaveEnded() {
        providers.put("web identity", () -> credentials(Duration.ofHours(1)));
        RenewedCredentials chain =
                chain(
                        command -> {
                            throw new RejectedExecutionException("shut down");
                        });
        chain.fetch();
        timer.advance(Duration.ofHours(1));
        assertKey(chain, 2);

        timer.shutdown();
        RenewedCredentials other = chain();
        assertKey(other, 3);
        assertKey(other, 3);
    }
}
