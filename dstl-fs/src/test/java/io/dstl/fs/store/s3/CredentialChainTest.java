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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.security.ProviderException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CredentialChainTest {

    private final Map<String, Provider> providers = new LinkedHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    private CredentialChain chain() {
        return new CredentialChain(providers, () -> now);
    }

    private Credentials credentials() {
        return new Credentials("key-" + asked.incrementAndGet(), "secret", null, null);
    }

    @Test
    void takesTheFirstThatHasSome() {
        providers.put(
                "nothing set",
                () -> {
                    throw new NullPointerException("AccessKey must not be null");
                });
        providers.put("file", this::credentials);
        providers.put(
                "never",
                () -> {
                    throw new AssertionError("Asked though another had some");
                });

        assertThat(chain().fetch().accessKey()).isEqualTo("key-1");
    }

    @Test
    void asksAgainAfterAMinuteWhereTheyHaveNoEnd() {
        providers.put("file", this::credentials);
        CredentialChain chain = chain();

        assertThat(chain.fetch().accessKey()).isEqualTo("key-1");
        now = now.plusSeconds(59);
        assertThat(chain.fetch().accessKey()).isEqualTo("key-1");
        now = now.plusSeconds(1);
        assertThat(chain.fetch().accessKey()).isEqualTo("key-2");
    }

    @Test
    void keepsWhatItHasWhileNobodyAnswers() {
        providers.put(
                "file",
                () -> {
                    if (asked.get() == 1) {
                        throw new ProviderException("being written");
                    }
                    return credentials();
                });
        CredentialChain chain = chain();
        chain.fetch();
        now = now.plusSeconds(60);

        assertThat(chain.fetch().accessKey()).isEqualTo("key-1");
    }

    /** Nor are leftover keys, behind a role whose service does not answer for once. */
    @Test
    void isNotTakenForAnotherWhereTheFirstFailsOnce() {
        providers.put(
                "role",
                () -> {
                    if (asked.get() == 1) {
                        throw new ProviderException("no answer for once");
                    }
                    return credentials();
                });
        providers.put("leftover keys", () -> new Credentials("leftover", "secret", null, null));
        CredentialChain chain = chain();
        chain.fetch();
        now = now.plusSeconds(60);

        assertThat(chain.fetch().accessKey()).isEqualTo("key-1");
    }

    @Test
    void saysWhereItLooked() {
        providers.put(
                "profile file",
                () -> {
                    throw new ProviderException("no file");
                });

        assertThatThrownBy(() -> chain().fetch())
                .hasMessage("No credentials for S3 in [profile file]")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }
}
