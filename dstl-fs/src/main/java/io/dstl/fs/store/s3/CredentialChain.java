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
package io.dstl.fs.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.io.IOException;
import java.security.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The credentials of the first provider that has some. From then on only that provider is asked:
 * where it fails once, another's must not make the job somebody else.
 *
 * <p><b>Renewal.</b> Temporary credentials are asked for anew well before their end, see {@link
 * Lease}, off the way of the requests, which go on with what there is. What fails is tried again
 * after pauses. A request waits for new ones only where the old ones have ended; it fails if there
 * are none. Credentials without an end are read again each minute, as a file may have been written
 * anew.
 *
 * <p><b>Close.</b> Ends the renewal; requests that are left still get credentials.
 *
 * <p><b>Threading.</b> Any thread; one asks, the others go on, or wait for it if they must.
 */
final class CredentialChain implements Provider, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CredentialChain.class);

    /** Who has waited for a failure is told of it, rather than waiting for one of their own. */
    private static final Duration FAILURE_KEPT = Duration.ofSeconds(1);

    private final Map<String, Provider> providers;
    private final Sources from;
    private final RenewalListener listener;

    private final RenewalTimer renewal;

    /** Held while a provider is asked, and so for as long as a service may hang. */
    private final Object asking = new Object();

    /** The last that there were, ended or not. */
    private volatile Optional<Lease> lease = Optional.empty();

    @GuardedBy("asking")
    private Optional<Map.Entry<String, Provider>> chosen = Optional.empty();

    @GuardedBy("asking")
    private Optional<ProviderException> failure = Optional.empty();

    @GuardedBy("asking")
    private Instant failedAt = Instant.MIN;

    /** What was said of the last failure; empty: nothing was, or it is over. */
    @GuardedBy("asking")
    private String said = "";

    /** Where time and threads come from. */
    static final class Sources {
        private final WallClock clock;
        private final ScheduledExecutorService timer;
        private final Executor executor;

        /**
         * @param timer keeps the time until a renewal; does not block
         * @param executor asks for credentials, which blocks
         */
        Sources(WallClock clock, ScheduledExecutorService timer, Executor executor) {
            this.clock = clock;
            this.timer = timer;
            this.executor = executor;
        }
    }

    /**
     * @param providers by what is said of them, in order; each asks anew with each call
     */
    CredentialChain(Map<String, Provider> providers, Sources from, RenewalListener listener) {
        this.providers = Collections.unmodifiableMap(new LinkedHashMap<>(providers));
        this.from = from;
        this.renewal = new RenewalTimer(from.timer);
        this.listener = listener;
    }

    /**
     * @throws ProviderException if no provider has credentials, and those that there were have
     *     ended
     */
    @Override
    public Credentials fetch() {
        Optional<Lease> known = lease;
        return known.isPresent() && known.get().isGood(from.clock.now())
                ? known.get().credentials()
                : fetchNow();
    }

    private Credentials fetchNow() {
        synchronized (asking) {
            Instant now = from.clock.now();
            if (lease.isPresent() && lease.get().isGood(now)) {
                return lease.get().credentials();
            }
            if (failure.isPresent() && now.isBefore(failedAt.plus(FAILURE_KEPT))) {
                throw new ProviderException(failure.get().getMessage(), failure.get());
            }
            return ask(now);
        }
    }

    @GuardedBy("asking")
    private Credentials ask(Instant now) {
        try {
            Lease found = askProviders(now);
            replace(found);
            return found.credentials();
        } catch (ProviderException e) {
            // Of the end of it: whoever has waited for a service that hangs must not wait again.
            Instant failed = from.clock.now();
            failure = Optional.of(e);
            failedAt = failed;
            sayFailure(e, failed);
            if (lease.isPresent() && !lease.get().hasEnded(failed)) {
                lease = Optional.of(lease.get().goodFrom(failed));
                return lease.get().credentials();
            }
            throw e;
        }
    }

    @GuardedBy("asking")
    private Lease askProviders(Instant now) {
        List<String> answers = new ArrayList<>();
        List<RuntimeException> causes = new ArrayList<>();
        for (Map.Entry<String, Provider> provider :
                chosen.map(Collections::singleton).orElse(providers.entrySet())) {
            try {
                Lease found = Lease.of(provider.getValue().fetch(), now);
                chosen = Optional.of(provider);
                return found;
            } catch (RuntimeException e) {
                // A provider without credentials throws whatever it comes upon.
                answers.add(provider.getKey() + " (" + shown(e) + ")");
                causes.add(e);
            }
        }
        ProviderException none =
                new ProviderException("No credentials for S3 from " + String.join(", ", answers));
        causes.forEach(cause -> none.addSuppressed(withoutText(cause)));
        throw none;
    }

    /** Of a failure to parse no more than its class: its text may repeat what was to be parsed. */
    private static String shown(RuntimeException failure) {
        Throwable cause = failure.getCause();
        if (cause == null) {
            return String.valueOf(failure.getMessage());
        }
        return failure.getMessage()
                + ": "
                + (tellsNoContent(cause) ? cause.toString() : cause.getClass().getSimpleName());
    }

    private static boolean tellsNoContent(Throwable cause) {
        return cause instanceof CredentialRequests.StatusException
                || (cause instanceof IOException && cause.getClass().getName().startsWith("java"));
    }

    /** What is logged with its stack trace must not say what {@link #shown} keeps to itself. */
    private static RuntimeException withoutText(RuntimeException failure) {
        if (failure.getCause() == null || tellsNoContent(failure.getCause())) {
            return failure;
        }
        ProviderException copy = new ProviderException(shown(failure));
        copy.setStackTrace(failure.getStackTrace());
        return copy;
    }

    @GuardedBy("asking")
    private void replace(Lease found) {
        Instant now = from.clock.now();
        failure = Optional.empty();
        boolean same = lease.isPresent() && lease.get().hasEndOf(found);
        lease = Optional.of(found);
        if (found.hasEnded(now)) {
            say(chosen.get().getKey() + " gives credentials that have ended; is the clock right?");
        } else if (!said.isEmpty()) {
            listener.recovered(chosen.get().getKey());
            said = "";
        }
        if (found.hasEnd()) {
            // A service may hand out the same ones until shortly before their end.
            renewAfter(same ? found.pause(now) : found.untilRenewal());
        }
    }

    private void renewAfter(Duration wait) {
        renewal.after(wait, () -> from.executor.execute(this::renew));
    }

    private void renew() {
        synchronized (asking) {
            Instant now = from.clock.now();
            if (renewal.isClosed() || lease.get().hasEnded(now)) {
                return;
            }
            try {
                replace(askProviders(now));
            } catch (ProviderException e) {
                sayFailure(e, now);
                renewAfter(lease.get().pause(now));
            }
        }
    }

    /** Once, and again when it is another. Where there are no others it fails who asks for them. */
    @GuardedBy("asking")
    private void sayFailure(ProviderException cause, Instant now) {
        if (!lease.isPresent() || lease.get().hasEnded(now)) {
            LOG.debug("No credentials for S3", cause);
            return;
        }
        say(cause.getMessage());
    }

    @GuardedBy("asking")
    private void say(String reason) {
        if (!said.equals(reason)) {
            said = reason;
            listener.failing(lease.get(), reason);
        }
    }

    /** Idempotent; waits for nobody. */
    @Override
    public void close() {
        renewal.close();
    }
}
