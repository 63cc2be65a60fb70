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
import io.dstl.testkit.ManualTimer;
import io.minio.credentials.Credentials;
import java.security.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A time service may set the clock back, and so does a correction by the store's answer. */
class CredentialsAndClockTest {

    private final ManualTimer timer = new ManualTimer();
    private Instant now = Instant.parse("2026-01-01T12:00:00Z");
    private int asked;

    /** What the credentials end after; null if they do not. */
    private Duration life;

    private final RenewedCredentials credentials =
            new RenewedCredentials(
                    new CredentialChain(Map.of("service", this::ask)),
                    () -> now,
                    timer,
                    Runnable::run,
                    new RenewedCredentials.Listener() {
                        @Override
                        public void failing(CachedCredentials inUse, String reason) {
                            throw new AssertionError(reason);
                        }

                        @Override
                        public void recovered(String place) {
                            throw new AssertionError(place);
                        }
                    });

    private Credentials ask() {
        asked++;
        return life == null
                ? new Credentials("key-" + asked, "secret", null, null)
                : new TemporaryCredentials("key-" + asked, "secret", "token", now.plus(life));
    }

    private void setBack() {
        now = now.minus(Duration.ofHours(2));
    }

    private void assertKey(int number) {
        assertThat(credentials.fetch().accessKey()).isEqualTo("key-" + number);
    }

    @Test
    void aFailureIsNotKeptForLonger() {
        RenewedCredentials failing =
                new RenewedCredentials(
                        new CredentialChain(Map.of("service", this::askInVainFirst)),
                        () -> now,
                        timer,
                        Runnable::run,
                        null);
        assertThatThrownBy(failing::fetch).hasMessageContaining("not there yet");
        assertThatThrownBy(failing::fetch).hasMessageContaining("not there yet");
        assertThat(asked).as("the failure is kept for a moment").isOne();

        setBack();
        assertThat(failing.fetch().accessKey()).isEqualTo("key-2");
    }

    private Credentials askInVainFirst() {
        Credentials found = ask();
        if (asked == 1) {
            throw new ProviderException("not there yet");
        }
        return found;
    }

    @Test
    void keysWithoutAnEndAreNotKeptForLonger() {
        assertKey(1);
        assertKey(1);

        setBack();
        assertKey(2);
        assertKey(2);
        assertThat(credentials.areRenewed()).isFalse();
    }

    @Test
    void aRefusalIsNotKeptForLonger() {
        life = Duration.ofDays(1);
        credentials.refused(credentials.fetch());
        credentials.refused(credentials.fetch());
        timer.advance(Duration.ZERO);
        assertKey(2);
        credentials.refused(credentials.fetch());
        timer.advance(Duration.ZERO);
        assertKey(2);

        setBack();
        credentials.refused(credentials.fetch());
        timer.advance(Duration.ZERO);
        assertKey(3);
        assertThat(credentials.areRenewed()).isTrue();
    }
}
