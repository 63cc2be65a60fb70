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
package io.dstl.harness.net;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ports for servers that other processes will start. They are below those that Linux gives away
 * itself unless it is told otherwise (ip_local_port_range, from 32768), so that no connection takes
 * one before its server does.
 */
public final class FreePorts {
    private static final int FIRST = 20_000;
    private static final int NUMBER = 12_000;

    /** Odd and large: directories whose names differ in a digit are to begin far apart. */
    private static final int SPREAD = 0x9E3779B1;

    private FreePorts() {}

    /**
     * Ports that nobody listens on at present, and that no other caller of this user has been
     * given, in a process that lives.
     *
     * @param owner decides where the search begins, so that servers that are started at the same
     *     time are not likely to get the same
     */
    public static List<Integer> of(Path owner, int number) throws IOException {
        int begin = Math.floorMod((owner.toAbsolutePath().hashCode() * SPREAD) >>> 8, NUMBER);
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < NUMBER && ports.size() < number; i++) {
            int port = FIRST + (begin + i) % NUMBER;
            if (isFree(port)) {
                ports.add(port);
            }
        }
        if (ports.size() < number) {
            throw new IOException(
                    "No free port from " + FIRST + " to " + (FIRST + NUMBER - 1) + " here");
        }
        return ports;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound() && Reservations.take(port);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Of this process, as long as it lives: another one may find a port free that is given out here
     * and not bound yet.
     */
    private static final class Reservations {
        private static final Optional<FileChannel> FILE = open();

        private Reservations() {}

        /** One file for all of a user's processes, in which each port is a byte to lock. */
        private static Optional<FileChannel> open() {
            String name = "dstl-ports-" + System.getProperty("user.name") + ".lock";
            try {
                return Optional.of(
                        FileChannel.open(
                                Path.of(System.getProperty("java.io.tmpdir"), name),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE));
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        /** Where nothing can be locked, there are no reservations. */
        static boolean take(int port) {
            try {
                return FILE.isEmpty() || FILE.get().tryLock(port, 1, false) != null;
            } catch (OverlappingFileLockException e) {
                return false;
            } catch (IOException e) {
                return true;
            }
        }
    }
}
