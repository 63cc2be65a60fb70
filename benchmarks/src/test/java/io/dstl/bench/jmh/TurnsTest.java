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
package io.dstl.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class TurnsTest {

    @Test
    void dealsOneTurnAtATimeInTheOrderOfConnecting() throws Exception {
        try (Turns turns = Turns.among(2);
                Fork first = new Fork(turns);
                Fork second = new Fork(turns)) {
            second.say();
            first.say();
            assertThat(first.hear()).isTrue();
            assertThat(second.hasHeard()).isFalse();
            first.say();
            assertThat(second.hear()).isTrue();
            first.say();
            assertThat(first.hasHeard()).isFalse();
            second.say();
            assertThat(first.hear()).isTrue();
        }
    }

    @Test
    void dealsTheFirstTurnWhenAllHaveConnected() throws Exception {
        try (Turns turns = Turns.among(2);
                Fork first = new Fork(turns)) {
            first.say();
            assertThat(first.hasHeard()).isFalse();
            try (Fork second = new Fork(turns)) {
                assertThat(first.hear()).isTrue();
                assertThat(second.hasHeard()).isFalse();
            }
        }
    }

    @Test
    void goesOnWithoutThoseThatHaveLeft() throws Exception {
        try (Turns turns = Turns.among(2);
                Fork first = new Fork(turns)) {
            new Fork(turns).close();
            for (int i = 0; i < 3; i++) {
                first.say();
                assertThat(first.hear()).isTrue();
                first.say();
            }
        }
    }

    /** As when one has failed before it connected. */
    @Test
    void keepsNobodyWaitingOnceItIsClosed() throws Exception {
        Turns turns = Turns.among(2);
        try (Fork first = new Fork(turns)) {
            first.say();
            turns.close();
            assertThat(first.hear()).isFalse();
        }
    }

    private static final class Fork implements AutoCloseable {
        private final Socket socket;

        Fork(Turns turns) throws IOException {
            String option = turns.option();
            int port = Integer.parseInt(option.substring(option.indexOf('=') + 1));
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
        }

        /** That it is ready, or that its turn is over. */
        void say() throws IOException {
            socket.getOutputStream().write('x');
        }

        /** Whether it is told to go, and not that there are no turns any more. */
        boolean hear() throws IOException {
            try {
                return socket.getInputStream().read() >= 0;
            } catch (SocketException e) {
                // Reset: it was never accepted.
                return false;
            }
        }

        boolean hasHeard() throws IOException {
            return socket.getInputStream().available() > 0;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
