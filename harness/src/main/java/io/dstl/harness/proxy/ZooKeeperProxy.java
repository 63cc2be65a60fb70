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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * A proxy between the JobManagers and ZooKeeper that, on command, loses the answer to one write:
 * the server has made it, and the client only sees its connection go. No client gets a connection
 * for a time after that, so that what is tried again fails as well.
 *
 * <p>Knows of the protocol that a message begins with its length, and a request and its answer with
 * the same number. For any thread; has two of its own for each connection.
 */
public final class ZooKeeperProxy implements AutoCloseable {
    private static final int CREATE = 1;
    private static final int MULTI = 14;
    private static final int HEAD_BYTES = 8;
    private static final int MAX_MESSAGE_BYTES = 8 << 20;

    private final InetSocketAddress server;
    private final LongSupplier nanos;
    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    @GuardedBy("this")
    private byte[] wanted = new byte[0];

    @GuardedBy("this")
    private Duration outage = Duration.ZERO;

    @GuardedBy("this")
    private long refusedUntil;

    @GuardedBy("this")
    private int lost;

    /** Before the answer that is to be lost next, or was last. */
    @GuardedBy("this")
    private int lostBefore;

    private ZooKeeperProxy(InetSocketAddress server, LongSupplier nanos) throws IOException {
        this.server = server;
        this.nanos = nanos;
        this.refusedUntil = nanos.getAsLong();
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /**
     * Starts one on a free port of this machine.
     *
     * @param nanos the time, from any origin
     */
    public static ZooKeeperProxy start(InetSocketAddress server, LongSupplier nanos)
            throws IOException {
        ZooKeeperProxy proxy = new ZooKeeperProxy(server, nanos);
        daemon("zookeeper-proxy", proxy::accept);
        return proxy;
    }

    /** As Flink's configuration names it. */
    public String quorum() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /**
     * Loses the answer to the next write that creates a node under such a path.
     *
     * @param path a part of the path
     * @param length how long no connection is to be had after it
     */
    public synchronized void loseNextAnswer(String path, Duration length) {
        wanted = path.getBytes(StandardCharsets.UTF_8);
        outage = length;
        lostBefore = lost;
    }

    /**
     * Loses no answer that it has not lost yet.
     *
     * @return whether it had lost the one that it was asked for last
     */
    public synchronized boolean forget() {
        wanted = new byte[0];
        return lost > lostBefore;
    }

    /** How many answers it has lost so far. */
    public synchronized int lost() {
        return lost;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        open.forEach(ZooKeeperProxy::closeQuietly);
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                if (refused()) {
                    closeQuietly(client);
                } else {
                    connect(client);
                }
            } catch (IOException e) {
                // The server is down, or this proxy closed: the client sees it.
            }
        }
    }

    private void connect(Socket client) throws IOException {
        open.add(client);
        Socket upstream = new Socket();
        open.add(upstream);
        try {
            upstream.connect(server);
        } catch (IOException e) {
            end(client, upstream);
            throw e;
        }
        Connection connection = new Connection(client, upstream);
        daemon("zookeeper-requests", connection::passRequests);
        daemon("zookeeper-answers", connection::passAnswers);
    }

    private void end(Socket client, Socket upstream) {
        closeQuietly(client);
        closeQuietly(upstream);
        open.remove(client);
        open.remove(upstream);
    }

    private synchronized boolean refused() {
        return refusedUntil - nanos.getAsLong() > 0;
    }

    private synchronized boolean takes(byte[] message) {
        if (wanted.length == 0 || message.length < HEAD_BYTES) {
            return false;
        }
        int operation = ByteBuffer.wrap(message).getInt(Integer.BYTES);
        if ((operation != CREATE && operation != MULTI) || !contains(message, wanted)) {
            return false;
        }
        wanted = new byte[0];
        return true;
    }

    private synchronized void countLost() {
        lost++;
        refusedUntil = nanos.getAsLong() + outage.toNanos();
    }

    static boolean contains(byte[] message, byte[] part) {
        for (int i = 0; i + part.length <= message.length; i++) {
            int same = 0;
            while (same < part.length && message[i + same] == part[same]) {
                same++;
            }
            if (same == part.length) {
                return true;
            }
        }
        return false;
    }

    private static void closeQuietly(Socket one) {
        try {
            one.close();
        } catch (IOException e) {
            // It is of no use any more in either case.
        }
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** One client's connection and ours to the server on its behalf. */
    private final class Connection {
        private final Socket client;
        private final Socket upstream;

        @GuardedBy("this")
        private boolean losing;

        @GuardedBy("this")
        private int request;

        Connection(Socket client, Socket upstream) {
            this.client = client;
            this.upstream = upstream;
        }

        void passRequests() {
            try {
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(upstream.getOutputStream());
                // The first one opens the session and has no number.
                pass(read(in), out);
                while (true) {
                    byte[] message = read(in);
                    if (takes(message)) {
                        lose(ByteBuffer.wrap(message).getInt());
                    }
                    pass(message, out);
                }
            } catch (IOException e) {
                end(client, upstream);
            }
        }

        void passAnswers() {
            try {
                DataInputStream in = new DataInputStream(upstream.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                pass(read(in), out);
                while (true) {
                    byte[] message = read(in);
                    if (loses(ByteBuffer.wrap(message).getInt())) {
                        countLost();
                        throw new IOException("the answer is lost");
                    }
                    pass(message, out);
                }
            } catch (IOException e) {
                end(client, upstream);
            }
        }

        private synchronized void lose(int number) {
            losing = true;
            request = number;
        }

        private synchronized boolean loses(int number) {
            return losing && number == request;
        }

        private byte[] read(DataInputStream in) throws IOException {
            int length = in.readInt();
            if (length < 0 || length > MAX_MESSAGE_BYTES) {
                throw new IOException("a message of " + length + " bytes is none of ZooKeeper's");
            }
            byte[] message = new byte[length];
            in.readFully(message);
            return message;
        }

        private void pass(byte[] message, DataOutputStream out) throws IOException {
            byte[] whole =
                    ByteBuffer.allocate(Integer.BYTES + message.length)
                            .putInt(message.length)
                            .put(message)
                            .array();
            out.write(whole);
            out.flush();
        }
    }
}
