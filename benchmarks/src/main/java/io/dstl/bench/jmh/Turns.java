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

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Deals turns to forks that run side by side, so that one of them at a time has work to measure:
 * what the machine does besides, and how fast it is at the moment, comes to all of them alike.
 *
 * <p>A fork connects, says so when it is ready for a turn, waits for an answer, and says so when
 * its turn is over; when it has had all its turns it leaves. Each is waited for before the next
 * gets its turn, in the order in which they have connected. What is said is a byte whose value does
 * not matter.
 *
 * <p>Has a thread of its own until all forks have left, or until it is closed.
 */
final class Turns implements AutoCloseable {
    private static final int GO = 'g';

    private final ServerSocket server;
    private final int forks;
    private final List<Socket> connected = new ArrayList<>();

    private Turns(ServerSocket server, int forks) {
        this.server = server;
        this.forks = forks;
    }

    /**
     * @param forks that will connect; the first turn is dealt when all have
     */
    static Turns among(int forks) throws IOException {
        Turns turns =
                new Turns(new ServerSocket(0, forks, InetAddress.getLoopbackAddress()), forks);
        Thread dealer = new Thread(turns::run, "turns");
        dealer.setDaemon(true);
        dealer.start();
        return turns;
    }

    /** As forks are told. */
    String option() {
        return "-Ddstl.bench.turns=" + server.getLocalPort();
    }

    private void run() {
        try {
            List<Fork> all = new ArrayList<>();
            for (int i = 0; i < forks; i++) {
                Socket fork = server.accept();
                synchronized (connected) {
                    connected.add(fork);
                }
                all.add(new ConnectedFork(fork));
            }
            deal(all);
        } catch (IOException e) {
            // Closed, as a fork has failed, which says so itself: the others are not kept waiting.
            closeAll();
        }
    }

    /** Returns when all have left. */
    static void deal(List<? extends Fork> forks) throws IOException {
        Deque<Fork> waiting = new ArrayDeque<>(forks);
        while (!waiting.isEmpty()) {
            Fork fork = waiting.remove();
            if (fork.isReady()) {
                fork.go();
                if (fork.endsTurn()) {
                    waiting.add(fork);
                }
            }
        }
    }

    /** One that turns are dealt to. */
    interface Fork {
        /** Waits until it is ready for a turn; false if it has left. */
        boolean isReady() throws IOException;

        void go() throws IOException;

        /** Waits until its turn is over; false if it has left, which ends its turn too. */
        boolean endsTurn() throws IOException;
    }

    private static final class ConnectedFork implements Fork {
        private final Socket socket;

        ConnectedFork(Socket socket) {
            this.socket = socket;
        }

        @Override
        public boolean isReady() throws IOException {
            return hears();
        }

        @Override
        public void go() throws IOException {
            socket.getOutputStream().write(GO);
        }

        @Override
        public boolean endsTurn() throws IOException {
            return hears();
        }

        private boolean hears() throws IOException {
            return socket.getInputStream().read() >= 0;
        }
    }

    private void closeAll() {
        synchronized (connected) {
            connected.forEach(Turns::closeQuietly);
        }
    }

    @Override
    public void close() {
        closeQuietly(server);
        closeAll();
    }

    private static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed to the other side all the same.
        }
    }
}
