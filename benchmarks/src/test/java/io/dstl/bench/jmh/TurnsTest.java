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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class TurnsTest {

    @Test
    void dealsATurnWhenTheOneBeforeItIsOver() throws Exception {
        List<String> journal = new ArrayList<>();
        Turns.deal(List.of(new ScriptedFork("a", 2, journal), new ScriptedFork("b", 1, journal)));
        assertThat(journal)
                .containsExactly(
                        "a ready", "a go", "a over", "b ready", "b go", "b over", "a ready", "a go",
                        "a over", "b left", "a left");
    }

    @Test
    void goesOnWhenAForkLeavesInItsTurn() throws Exception {
        List<String> journal = new ArrayList<>();
        Turns.deal(List.of(new ScriptedFork("a", -1, journal), new ScriptedFork("b", 1, journal)));
        assertThat(journal)
                .containsExactly(
                        "a ready", "a go", "a left", "b ready", "b go", "b over", "b left");
    }

    @Test
    void dealsToThoseThatConnectUntilTheyLeave() throws Exception {
        try (Turns turns = Turns.among(2);
                ConnectingFork first = new ConnectingFork(turns)) {
            try (ConnectingFork second = new ConnectingFork(turns)) {
                first.say();
                second.say();
                assertThat(first.hear()).isTrue();
                first.say();
                assertThat(second.hear()).isTrue();
            }
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
        try (ConnectingFork first = new ConnectingFork(turns)) {
            first.say();
            turns.close();
            assertThat(first.hear()).isFalse();
        }
    }

    /** Leaves after so many turns, in its first one if that is below 0. */
    private static final class ScriptedFork implements Turns.Fork {
        private final String name;
        private final List<String> journal;
        private int turns;

        ScriptedFork(String name, int turns, List<String> journal) {
            this.name = name;
            this.turns = turns;
            this.journal = journal;
        }

        @Override
        public boolean isReady() {
            return note(turns != 0, "ready");
        }

        @Override
        public void go() {
            journal.add(name + " go");
        }

        @Override
        public boolean endsTurn() {
            turns--;
            return note(turns >= 0, "over");
        }

        private boolean note(boolean here, String what) {
            journal.add(name + ' ' + (here ? what : "left"));
            return here;
        }
    }

    private static final class ConnectingFork implements AutoCloseable {
        private final Socket socket;

        ConnectingFork(Turns turns) throws IOException {
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

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
