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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreePortsTest {

    @TempDir private Path owner;

    @Test
    void leavesOutWhatIsTaken() throws Exception {
        int next = FreePorts.of(owner, 1).get(0) + 1;
        try (ServerSocket taken = bound(next)) {
            List<Integer> others = FreePorts.of(owner, 3);

            assertThat(others)
                    .hasSize(3)
                    .doesNotHaveDuplicates()
                    .doesNotContain(taken.getLocalPort());
            assertThat(others).allMatch(port -> port < 32_768);
        }
    }

    /** At the port, or where that is taken, at the first free one above it. */
    private static ServerSocket bound(int port) throws IOException {
        for (int i = port; ; i++) {
            try {
                return new ServerSocket(i);
            } catch (BindException e) {
                assertThat(i).isLessThan(port + 100);
            }
        }
    }

    /** Its server may not be up yet. */
    @Test
    void givesNoneOutTwice() throws Exception {
        List<Integer> first = FreePorts.of(owner, 3);

        assertThat(FreePorts.of(owner, 3)).hasSize(3).doesNotContainAnyElementsOf(first);
    }
}
