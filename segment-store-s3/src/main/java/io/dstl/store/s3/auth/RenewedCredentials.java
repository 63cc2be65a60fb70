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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.security.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Credentials that are available when a request needs them.
 *
 * <p><b>Renewal.</b> Temporary credentials are renewed well before their end, see {@link
 * CachedCredentials}, in the background, while requests use the present ones. A failed renewal is
 * retried after pauses. A request waits for new credentials only if the present ones have ended; it
 * fails if there are none. Credentials without an end are read again each minute, as a file may
 * have been rewritten. If the store refuses credentials before their end, the service is asked at
 * once, but not again and again, as it may have no others.
 *
 * <p><b>Close.</b> Ends the renewal; later requests still get credentials.
 *
 * <p><b>Threading.</b> Any thread; one asks, the others go on, or wait for it if they must.
 */
public final class RenewedCredentials implements Refusals, Provider, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RenewedCredentials.class);

    /** Threads that waited for a failed request get its failure, without their own request. */
    private static final Duration FAILURE_KEPT = Duration.ofSeconds(1);

    /** The service is asked no more often because of refusals. */
    private static final Duration REFUSAL_KEPT = Duration.ofSeconds(30);

    /** Until the next attempt of a renewal for which there was no thread, or no memory. */
    static final Duration AFTER_ERROR = Duration.ofSeconds(10);

    private final CredentialChain chain;
    private final Supplier<Instant> clock;
    private final ScheduledExecutorService timer;
    private final Executor executor;
    private final Listener listener;

    /** Held while a provider is asked, and so for as long as a service may hang. */
    private final Object asking = new Object();

    /** Never held for I/O: a job is closed on the TaskManager's main thread. */
    private final Object scheduling = new Object();

    /** The last credentials, ended or not. */
    private volatile Optional<CachedCredentials> cached = Optional.empty();

    @GuardedBy("asking")
    private Optional<ProviderException> failure = Optional.empty();

    @GuardedBy("asking")
    private Instant failedAt = Instant.MIN;

    /** The failure last reported; empty: none, or it is over. */
    @GuardedBy("asking")
    private String said = "";

    @GuardedBy("scheduling")
    private Optional<Future<?>> nextRenewal = Optional.empty();

    /** When the service was last asked as the store had refused its credentials. */
    @GuardedBy("scheduling")
    private Instant refusedAt = Instant.EPOCH;

    @GuardedBy("scheduling")
    private boolean closed;

    /** Whether one was logged since the last renewal. */
    private volatile boolean saidError;

    /** Notified of the renewal, of each change once. On the thread that renews; must not block. */
    interface Listener {

        /**
         * Renewal fails, or fails for another reason; it is retried.
         *
         * @param inUse the present credentials; they have not ended
         * @param reason no secret
         */
        void failing(CachedCredentials inUse, String reason);

        /**
         * Renewal has succeeded after a failure.
         *
         * @param place the source of the credentials
         */
        void recovered(String place);
    }

    /**
     * @param clock the time of day
     * @param timer keeps the time until a renewal; does not block
     * @param executor asks for credentials, which blocks
     */
    RenewedCredentials(
            CredentialChain chain,
            Supplier<Instant> clock,
            ScheduledExecutorService timer,
            Executor executor,
            Listener listener) {
        this.chain = chain;
        this.clock = clock;
        this.timer = timer;
        this.executor = executor;
        this.listener = listener;
    }

    /**
     * @throws ProviderException if no provider has credentials, and the present ones have ended
     */
    @Override
    public Credentials fetch() {
        Optional<CachedCredentials> known = cached;
        return known.isPresent() && known.get().isGood(clock.get())
                ? known.get().credentials()
                : fetchNow();
    }

    /**
     * The store has refused what was signed with these credentials, as they have ended or are
     * unknown. Asks for others in the background, if these are the present ones and have an end;
     * those without are read again soon. Does not block.
     *
     * @return whether there are others already
     */
    @Override
    public boolean refused(Credentials used) {
        Optional<CachedCredentials> known = cached;
        if (known.isEmpty()) {
            return false;
        }
        Credentials present = known.get().credentials();
        if (!present.accessKey().equals(used.accessKey())
                || !Objects.equals(present.sessionToken(), used.sessionToken())) {
            return true;
        }
        if (known.get().hasEnd() && mayAskAgain()) {
            after(Duration.ZERO, () -> renew(true));
        }
        return false;
    }

    @Override
    public boolean areRenewed() {
        return cached.filter(CachedCredentials::hasEnd).isPresent();
    }

    private boolean mayAskAgain() {
        synchronized (scheduling) {
            Instant now = clock.get();
            if (CachedCredentials.isWithin(REFUSAL_KEPT, refusedAt, now)) {
                return false;
            }
            refusedAt = now;
            return true;
        }
    }

    private Credentials fetchNow() {
        synchronized (asking) {
            Instant now = clock.get();
            if (cached.isPresent() && cached.get().isGood(now)) {
                return cached.get().credentials();
            }
            if (failure.isPresent() && CachedCredentials.isWithin(FAILURE_KEPT, failedAt, now)) {
                throw new ProviderException(failure.get().getMessage(), failure.get());
            }
            try {
                replace(CachedCredentials.of(chain.fetch(), now), false);
            } catch (ProviderException e) {
                keepAfter(e);
            }
            return cached.get().credentials();
        }
    }

    /** Rethrows it if there are no credentials to keep. */
    @GuardedBy("asking")
    private void keepAfter(ProviderException e) {
        // Time of the call's end: whoever waited for a hanging service must not wait again.
        Instant failed = clock.get();
        failure = Optional.of(e);
        failedAt = failed;
        sayFailure(e, failed);
        if (!cached.isPresent() || cached.get().hasEnded(failed)) {
            throw e;
        }
        cached = Optional.of(cached.get().goodFrom(failed));
    }

    /**
     * @param refused whether the store has refused the present ones before their end
     */
    @GuardedBy("asking")
    private void replace(CachedCredentials found, boolean refused) {
        Instant now = clock.get();
        failure = Optional.empty();
        boolean same = cached.isPresent() && cached.get().hasEndOf(found);
        cached = Optional.of(found);
        saidError = false;
        if (found.hasEnded(now)) {
            say(chain.place() + " gives credentials that have ended; is the clock right?");
        } else if (!said.isEmpty()) {
            listener.recovered(chain.place());
            said = "";
        }
        if (found.hasEnd()) {
            // A service may return the same ones until shortly before their end.
            renewAfter(same && !refused ? found.pause(now) : found.untilRenewal());
        }
    }

    /** Replaces the scheduled renewal; has no effect once closed. */
    private void renewAfter(Duration wait) {
        after(wait, () -> renew(false));
    }

    private void after(Duration wait, Runnable renewal) {
        synchronized (scheduling) {
            cancelRenewal();
            if (closed) {
                return;
            }
            try {
                nextRenewal =
                        Optional.of(
                                timer.schedule(
                                        () -> start(renewal),
                                        wait.toMillis(),
                                        TimeUnit.MILLISECONDS));
            } catch (RejectedExecutionException e) {
                renewsNoMore(e);
            }
        }
    }

    /** On the timer, whose errors would end the process. */
    private void start(Runnable renewal) {
        try {
            executor.execute(renewal);
        } catch (RejectedExecutionException e) {
            renewsNoMore(e);
        } catch (Throwable t) {
            tryAgain(renewal, t);
        }
    }

    private void tryAgain(Runnable renewal, Throwable cause) {
        if (!saidError) {
            saidError = true;
            LOG.warn(
                    "Credentials for S3 are not renewed now, for want of a thread or of memory:"
                            + " tried again each {} s. See that this process may have more of them",
                    AFTER_ERROR.getSeconds(),
                    cause);
        }
        after(AFTER_ERROR, renewal);
    }

    private static void renewsNoMore(RejectedExecutionException cause) {
        LOG.debug("Credentials for S3 are renewed by the request that needs them", cause);
    }

    @GuardedBy("scheduling")
    private void cancelRenewal() {
        nextRenewal.ifPresent(scheduled -> scheduled.cancel(false));
        nextRenewal = Optional.empty();
    }

    private void renew(boolean refused) {
        synchronized (asking) {
            Instant now = clock.get();
            if (isClosed() || cached.get().hasEnded(now)) {
                return;
            }
            try {
                replace(CachedCredentials.of(chain.fetch(), now), refused);
            } catch (ProviderException e) {
                sayFailure(e, now);
                renewAfter(cached.get().pause(now));
            } catch (Throwable t) {
                tryAgain(() -> renew(refused), t);
                throw t;
            }
        }
    }

    private boolean isClosed() {
        synchronized (scheduling) {
            return closed;
        }
    }

    /** Reports each new reason once. Without valid credentials the caller gets the failure. */
    @GuardedBy("asking")
    private void sayFailure(ProviderException cause, Instant now) {
        if (!cached.isPresent() || cached.get().hasEnded(now)) {
            LOG.debug("No credentials for S3", cause);
            return;
        }
        say(cause.getMessage());
    }

    @GuardedBy("asking")
    private void say(String reason) {
        if (!said.equals(reason)) {
            said = reason;
            listener.failing(cached.get(), reason);
        }
    }

    /** Idempotent; waits for nothing. */
    @Override
    public void close() {
        synchronized (scheduling) {
            closed = true;
            cancelRenewal();
        }
    }
}
