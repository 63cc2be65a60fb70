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
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.security.ProviderException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken of the credentials that a place has, as a person or a tool has written them. */
class CredentialChainTest {

    private static Credentials fetch(Provider provider) {
        Map<String, Provider> providers = new LinkedHashMap<>();
        providers.put("a file", provider);
        providers.put("another", () -> new Credentials("other-key", "secret", null, null));
        return new CredentialChain(providers).fetch();
    }

    /** A secret of Kubernetes often ends with a line break. */
    @Test
    void whiteSpaceAroundAPartIsNoneOfIt() {
        Credentials found = fetch(() -> new Credentials("key\n", " secret\t", " token\n", null));

        assertThat(found.accessKey()).isEqualTo("key");
        assertThat(found.secretKey()).isEqualTo("secret");
        assertThat(found.sessionToken()).isEqualTo("token");
    }

    @Test
    void temporaryOnesKeepTheirEnd() {
        Credentials found =
                fetch(() -> new TemporaryCredentials("key", "secret", "token\n", Instant.MAX));

        assertThat(found.sessionToken()).isEqualTo("token");
        assertThat(((TemporaryCredentials) found).end()).isEqualTo(Instant.MAX);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " \n"})
    void anEmptyTokenIsNone(String token) {
        assertThat(fetch(() -> new Credentials("key", "secret", token, null)).sessionToken())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({"' ', secret", "key, ' '"})
    void anEmptyKeyIsNone(String accessKey, String secretKey) {
        assertThat(fetch(() -> new Credentials(accessKey, secretKey, null, null)).accessKey())
                .isEqualTo("other-key");
    }

    /** The HTTP client's failure would show the whole token, in the log and in Flink's UI. */
    @Test
    void whatNoHeaderTakesIsNamedByItsPlaceOnly() {
        assertUnusable(new Credentials("key", "secret", "hidden\ntoken", null));
        assertUnusable(new Credentials("hidden\u00e9", "secret", null, null));
    }

    private static void assertUnusable(Credentials found) {
        assertThatThrownBy(() -> fetch(() -> found))
                .isInstanceOf(ProviderException.class)
                .hasNoCause()
                .hasNoSuppressedExceptions()
                .hasMessageContaining("from a file has characters")
                .hasMessageNotContaining("hidden");
    }
}
