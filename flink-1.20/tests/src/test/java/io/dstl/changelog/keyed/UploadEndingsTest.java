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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each thread runs in the place where it is started, as far as the tests run it. */
class UploadEndingsTest {
    private final List<Runnable> threads = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();

    private static Thread onStart(Runnable action) {
        return new Thread() {
            @Override
            public synchronized void start() {
                action.run();
            }
        };
    }

    private UploadEndings endings() {
        return new UploadEndings(2, work -> onStart(() -> threads.add(work)));
    }

    @Test
    void eachHasAThreadOfItsOwn() {
        UploadEndings endings = endings();
        endings.execute(() -> ended.add("a"));
        endings.execute(() -> ended.add("b"));
        assertThat(ended).isEmpty();

        threads.get(1).run();
        assertThat(ended).containsExactly("b");
    }

    @Test
    void theCallerRunsThoseBeyondTheLimit() {
        UploadEndings endings = endings();
        endings.execute(() -> ended.add("a"));
        endings.execute(() -> ended.add("b"));
        endings.execute(() -> ended.add("by the caller"));
        assertThat(ended).containsExactly("by the caller");

        threads.get(0).run();
        endings.execute(() -> ended.add("c"));
        assertThat(ended).as("c has the room of a").containsExactly("by the caller", "a");
    }

    @Test
    void oneThatFailsGivesItsRoomBack() {
        UploadEndings endings = endings();
        endings.execute(() -> ended.add("a"));
        endings.execute(
                () -> {
                    throw new IllegalStateException("a test");
                });
        assertThatThrownBy(threads.get(1)::run).isInstanceOf(IllegalStateException.class);

        endings.execute(() -> ended.add("c"));
        assertThat(ended).isEmpty();
        assertThat(threads).hasSize(3);
    }

    @Test
    void theCallerRunsWhatGetsNoThread() {
        boolean[] starts = {false};
        UploadEndings endings =
                new UploadEndings(
                        1,
                        work ->
                                onStart(
                                        () -> {
                                            if (!starts[0]) {
                                                throw new OutOfMemoryError("no thread");
                                            }
                                            threads.add(work);
                                        }));
        endings.execute(() -> ended.add("by the caller"));
        assertThat(ended).containsExactly("by the caller");

        starts[0] = true;
        endings.execute(() -> ended.add("a"));
        assertThat(threads).as("the room is free again").hasSize(1);
    }
}
