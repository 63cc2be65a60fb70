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
package io.dstl.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

class FileDeleterTest {

    private final FileDeleter deleter = new FileDeleter();
    private final Set<String> refused = new TreeSet<>();
    private final List<String> tried = new ArrayList<>();

    @Test
    void deletesEachFile() {
        assertThat(deleter.deleteBatch(files("a", "b"))).isEmpty();
        assertThat(tried).containsExactly("a", "b");
    }

    @Test
    void afterThreeFailuresInARowTheRestIsLeft() {
        refused.addAll(List.of("b", "d", "e", "f"));
        Map<StreamStateHandle, Exception> failures =
                deleter.deleteBatch(files("a", "b", "c", "d", "e", "f", "g"));

        assertThat(tried).containsExactly("a", "b", "c", "d", "e", "f");
        assertThat(failures.keySet())
                .containsExactlyInAnyOrderElementsOf(files("b", "d", "e", "f", "g"));
        assertThat(Set.copyOf(failures.values())).as("one failure, so one batch").hasSize(1);
        assertThat(failures.values()).allSatisfy(each -> assertThat(each).hasMessage("403 b"));
    }

    /** Of a task with a terabyte. They wait as one, and so take the room of one. */
    @Test
    void anyNumberOfFilesIsTriedAgain() {
        ManualTimer timer = new ManualTimer();
        DeletionQueue queue =
                new DeletionQueue(
                        deleter,
                        Runnable::run,
                        DeletionSchedule.on(timer),
                        RegistryListener.none());
        String[] names = new String[DeletionQueue.MAX_WAITING + 1];
        Arrays.setAll(names, i -> "file-" + i);
        refused.add("file-0");
        refused.add("file-1");
        refused.add("file-2");
        queue.deleteAll(files("file-0"));
        queue.deleteAll(files(names));
        assertThat(tried).hasSize(1 + 3);

        refused.clear();
        timer.advance(Duration.ofSeconds(1));
        assertThat(tried).hasSize(1 + 3 + 1 + names.length);
        assertThat(queue.waiting()).isZero();
    }

    private List<StreamStateHandle> files(String... names) {
        List<StreamStateHandle> files = new ArrayList<>();
        for (String name : names) {
            files.add(new File(name));
        }
        return files;
    }

    private final class File extends ByteStreamStateHandle {
        private static final long serialVersionUID = 1L;

        File(String name) {
            super(name, new byte[0]);
        }

        @Override
        public void discardState() {
            tried.add(getHandleName());
            if (refused.contains(getHandleName())) {
                throw new UncheckedIOException("403 " + getHandleName(), new IOException("403"));
            }
        }
    }
}
