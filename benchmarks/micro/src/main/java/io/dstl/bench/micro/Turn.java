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
package io.dstl.bench.micro;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/**
 * The place of this fork among those that take turns: only one of them has work to do at a time. It
 * says when it is ready for its next turn and when that is over; the one who deals the turns
 * answers the former. What is said is a byte whose value does not matter.
 */
final class Turn implements AutoCloseable {
    /** Where turns are dealt, on this machine. */
    private static final String PORT = "dstl.bench.turns";

    private final Socket dealer;

    private Turn(Socket dealer) {
        this.dealer = dealer;
    }

    static Turn take() throws IOException {
        Integer port = Integer.getInteger(PORT);
        if (port == null) {
            throw new IllegalStateException(
                    "-D" + PORT + " is not set: start this by benchmarks/run.sh micro");
        }
        return new Turn(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Blocks until it is this fork's turn. */
    void await() throws IOException {
        say();
        if (dealer.getInputStream().read() < 0) {
            throw new EOFException(
                    "there are no more turns, as another fork has failed: the logs beside this one"
                            + " say why");
        }
    }

    void over() throws IOException {
        say();
    }

    private void say() throws IOException {
        dealer.getOutputStream().write('t');
    }

    /** Takes part no more; a turn under way is over. */
    @Override
    public void close() throws IOException {
        dealer.close();
    }
}
