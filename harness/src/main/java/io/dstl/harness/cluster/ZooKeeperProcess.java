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
package io.dstl.harness.cluster;

import io.dstl.harness.net.FreePorts;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A ZooKeeper server as a process of its own, with its data on disk: the one of Flink's {@code
 * lib/}, as {@code bin/zookeeper.sh} of the distribution starts. For one thread.
 *
 * <p>Owns the process and its port, which stays the same over kills.
 */
public final class ZooKeeperProcess implements AutoCloseable {
    private static final String MAIN =
            "org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServerMain";
    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final int ASK_MILLIS = 2_000;

    private final FlinkHome home;
    private final Path java;
    private final Path directory;
    private final int port;
    private ServerProcess process;

    private ZooKeeperProcess(FlinkHome home, Path javaHome, Path directory) throws IOException {
        this.home = home;
        this.java = javaHome.resolve("bin").resolve("java");
        this.directory = Files.createDirectories(directory);
        this.port = FreePorts.of(directory, 1).get(0);
    }

    /** Starts a server without data, in that directory; returns when it answers. */
    public static ZooKeeperProcess start(FlinkHome home, Path javaHome, Path directory, Await await)
            throws IOException, InterruptedException {
        ZooKeeperProcess server = new ZooKeeperProcess(home, javaHome, directory);
        Files.write(
                server.directory.resolve("zoo.cfg"),
                List.of(
                        // Sessions can be as short as two ticks.
                        "tickTime=1000",
                        "dataDir=" + Files.createDirectories(directory.resolve("data")),
                        "clientPort=" + server.port,
                        "clientPortAddress=127.0.0.1",
                        "maxClientCnxns=0",
                        "admin.enableServer=false"),
                StandardCharsets.UTF_8);
        server.restart();
        server.process.awaitUp(
                await, "ZooKeeper on port " + server.port, START_LIMIT, server::mode);
        return server;
    }

    public InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    public boolean alive() {
        return process != null && process.alive();
    }

    /** SIGKILL; what it has written stays. */
    public void kill() throws InterruptedException {
        process.kill();
    }

    /** Starts it again with the data that it had; returns before it answers. */
    public void restart() throws IOException {
        process =
                ServerProcess.start(
                        "zookeeper",
                        List.of(
                                java.toString(),
                                "-Xmx256m",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                home.classPath(),
                                MAIN,
                                directory.resolve("zoo.cfg").toString()),
                        Map.of(),
                        directory.resolve("zookeeper.out"));
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }

    private Optional<String> mode() {
        try (Socket socket = new Socket()) {
            socket.connect(address(), ASK_MILLIS);
            socket.setSoTimeout(ASK_MILLIS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.contains("Mode:") ? Optional.of(answer) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
