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
import java.security.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The credentials of the first provider that has some. They are asked for again before they expire,
 * and each minute where they have no end: a file may have been written anew. From then on only that
 * provider is asked: where it fails once, another's must not make the job somebody else.
 *
 * <p><b>Threading.</b> Any thread; one asks, the others wait for it.
 */
final class CredentialChain implements Provider {

    private static final Duration KEPT = Duration.ofMinutes(1);

    private final Map<String, Provider> providers;
    private final WallClock clock;

    @GuardedBy("this")
    private Provider chosen;

    @GuardedBy("this")
    private Credentials credentials;

    @GuardedBy("this")
    private Instant fetchedAt = Instant.MIN;

    /**
     * @param providers by what is said of them where none has credentials, in order
     */
    CredentialChain(Map<String, Provider> providers, WallClock clock) {
        this.providers = Collections.unmodifiableMap(new LinkedHashMap<>(providers));
        this.clock = clock;
    }

    /**
     * @throws ProviderException if no provider has credentials
     */
    @Override
    public synchronized Credentials fetch() {
        Instant now = clock.now();
        if (credentials == null || credentials.isExpired() || !now.isBefore(fetchedAt.plus(KEPT))) {
            credentials = ask();
            fetchedAt = now;
        }
        return credentials;
    }

    @GuardedBy("this")
    private Credentials ask() {
        ProviderException none =
                new ProviderException("No credentials for S3 in " + providers.keySet());
        for (Provider provider :
                chosen == null ? providers.values() : Collections.singleton(chosen)) {
            try {
                Credentials found = provider.fetch();
                chosen = provider;
                return found;
            } catch (RuntimeException e) {
                // A provider without credentials throws whatever it comes upon.
                none.addSuppressed(e);
            }
        }
        if (credentials != null && !credentials.isExpired()) {
            return credentials;
        }
        throw none;
    }
}
