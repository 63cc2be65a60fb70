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
package io.dstl.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CleanupTest {
    private final List<String> stopped = new ArrayList<>();
    private final Cleanup cleanup = new Cleanup();

    @Test
    void stopsInReverseOrderAndEachOnce() throws Exception {
        cleanup.add(thing("store"));
        AutoCloseable first = cleanup.add(thing("first cluster"));
        cleanup.add(thing("second cluster"));

        cleanup.closeNow(first);
        cleanup.closeNow(first);
        cleanup.close();
        cleanup.close();

        assertThat(stopped).containsExactly("first cluster", "second cluster", "store");
    }

    @Test
    void stopsTheRestWhenOneFails() throws Exception {
        cleanup.add(thing("store"));
        cleanup.add(
                () -> {
                    throw new IllegalStateException("stuck");
                });
        cleanup.add(
                () -> {
                    throw new IllegalStateException("stuck first");
                });

        assertThatThrownBy(cleanup::close)
                .hasMessage("stuck first")
                .hasSuppressedException(new IllegalStateException("stuck"));
        assertThat(stopped).containsExactly("store");
    }

    @Test
    void stopsAtOnceWhatComesTooLate() throws Exception {
        cleanup.close();

        assertThatThrownBy(() -> cleanup.add(thing("late cluster")))
                .isInstanceOf(IllegalStateException.class);
        assertThat(stopped).containsExactly("late cluster");
    }

    private AutoCloseable thing(String name) {
        return () -> stopped.add(name);
    }
}
