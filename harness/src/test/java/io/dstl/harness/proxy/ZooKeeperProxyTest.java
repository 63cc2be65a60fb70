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
package io.dstl.harness.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that speaks just enough of ZooKeeper's protocol, and a server that answers anything. */
@Timeout(60)
class ZooKeeperProxyTest {
    private static final int MULTI = 14;
    private static final int GET_DATA = 4;
    private static final String CHECKPOINT = "/flink/jobs/x/checkpoints/0001";
    private static final Duration OUTAGE = Duration.ofSeconds(3);

    private final ManualNanos nanos = new ManualNanos();
    private final List<String> served = new CopyOnWriteArrayList<>();
    private ServerSocket server;
    private ZooKeeperProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::serve, "server");
        thread.setDaemon(true);
        thread.start();
        proxy =
                ZooKeeperProxy.start(
                        new InetSocketAddress(server.getInetAddress(), server.getLocalPort()),
                        nanos);
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void requestsAndAnswersPass() throws IOException {
        try (Client client = new Client()) {
            assertThat(client.ask(1, MULTI, CHECKPOINT)).isEqualTo(1);
            assertThat(client.ask(2, GET_DATA, CHECKPOINT)).isEqualTo(2);
        }
        assertThat(served).containsExactly(CHECKPOINT, CHECKPOINT);
        assertThat(proxy.lost()).isZero();
    }

    @Test
    void theServerMakesTheWriteWhoseAnswerIsLost() throws IOException {
        proxy.loseNextAnswer("/checkpoints/", OUTAGE);
        try (Client client = new Client()) {
            assertThat(client.ask(1, MULTI, "/flink/leader")).isEqualTo(1);
            assertThat(client.ask(2, GET_DATA, CHECKPOINT)).isEqualTo(2);
            assertThatThrownBy(() -> client.ask(3, MULTI, CHECKPOINT))
                    .isInstanceOfAny(EOFException.class, SocketException.class);
        }
        assertThat(served).containsExactly("/flink/leader", CHECKPOINT, CHECKPOINT);
        assertThat(proxy.lost()).isEqualTo(1);
        assertThat(proxy.forget()).isTrue();
    }

    @Test
    void nobodyGetsAConnectionUntilTheOutageIsOver() throws IOException {
        proxy.loseNextAnswer("/checkpoints/", OUTAGE);
        try (Client client = new Client()) {
            assertThatThrownBy(() -> client.ask(1, MULTI, CHECKPOINT))
                    .isInstanceOfAny(EOFException.class, SocketException.class);
        }
        assertThatThrownBy(Client::new).isInstanceOfAny(EOFException.class, SocketException.class);
        nanos.advance(OUTAGE);
        try (Client client = new Client()) {
            // Only one answer was to be lost.
            assertThat(client.ask(1, MULTI, CHECKPOINT)).isEqualTo(1);
        }
    }

    @Test
    void tellsOfEachAnswerWhetherItWasLost() throws IOException {
        proxy.loseNextAnswer("/checkpoints/", OUTAGE);
        try (Client client = new Client()) {
            assertThatThrownBy(() -> client.ask(1, MULTI, CHECKPOINT))
                    .isInstanceOfAny(EOFException.class, SocketException.class);
        }
        proxy.loseNextAnswer("/checkpoints/", OUTAGE);
        assertThat(proxy.forget()).isFalse();
        assertThat(proxy.lost()).isEqualTo(1);
    }

    @Test
    void whatIsForgottenIsNotLost() throws IOException {
        proxy.loseNextAnswer("/checkpoints/", OUTAGE);
        assertThat(proxy.forget()).isFalse();
        try (Client client = new Client()) {
            assertThat(client.ask(1, MULTI, CHECKPOINT)).isEqualTo(1);
        }
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread thread = new Thread(() -> answer(client), "answers");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private void answer(Socket client) {
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            send(out, receive(in));
            while (true) {
                byte[] request = receive(in);
                served.add(new String(request, 8, request.length - 8, StandardCharsets.UTF_8));
                send(out, ByteBuffer.allocate(4).putInt(ByteBuffer.wrap(request).getInt()).array());
            }
        } catch (IOException e) {
            // The client has gone.
        }
    }

    private static void send(DataOutputStream out, byte[] message) throws IOException {
        out.writeInt(message.length);
        out.write(message);
        out.flush();
    }

    private static byte[] receive(DataInputStream in) throws IOException {
        byte[] message = new byte[in.readInt()];
        in.readFully(message);
        return message;
    }

    /** A connection with its session open. */
    private final class Client implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;

        Client() throws IOException {
            String quorum = proxy.quorum();
            int port = Integer.parseInt(quorum.substring(quorum.indexOf(':') + 1));
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
            try {
                send(out, new byte[] {1, 2, 3});
                receive(in);
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        }

        /** The number of the answer. */
        int ask(int number, int operation, String path) throws IOException {
            byte[] name = path.getBytes(StandardCharsets.UTF_8);
            send(
                    out,
                    ByteBuffer.allocate(8 + name.length)
                            .putInt(number)
                            .putInt(operation)
                            .put(name)
                            .array());
            return ByteBuffer.wrap(receive(in)).getInt();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
