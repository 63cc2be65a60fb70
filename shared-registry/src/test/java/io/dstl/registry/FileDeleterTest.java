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

import io.dstl.registry.SegmentDeleter.Untried;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

class FileDeleterTest {

    private final FileDeleter deleter = new FileDeleter();
    private final Set<String> refused = new TreeSet<>();
    private final List<String> tried = new ArrayList<>();
    private final ManualTimer timer = new ManualTimer();
    private final DeletionQueue queue = queue(Runnable::run);

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
        assertThat(failures.entrySet())
                .filteredOn(each -> !(each.getValue() instanceof Untried))
                .as("one failure, so one batch")
                .hasSize(4)
                .allSatisfy(each -> assertThat(each.getValue()).hasMessage("403 b"));
        assertThat(failures.get(files("g").get(0)))
                .isInstanceOf(Untried.class)
                .hasRootCauseMessage("403");
    }

    /** As of a key under a legal hold. */
    @Test
    void filesThatCannotBeDeletedDoNotHoldUpTheOthers() {
        refused.addAll(List.of("a", "b", "c"));
        queue.deleteAll(files("a", "b", "c", "d"));
        assertThat(tried).containsExactly("a", "b", "c");

        timer.advance(Duration.ofSeconds(1));
        assertThat(tried).containsExactly("a", "b", "c", "d", "a", "b", "c");
    }

    /** As with a store that is overloaded for some minutes. */
    @Test
    void anAttemptThatDeletesMostUpToFailuresDoesNotCountForTheOthers() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            for (String each : List.of("a", "b", "c", "d")) {
                names.add("good-" + each + i);
            }
            for (String each : List.of("x", "y", "z")) {
                names.add(each + i);
                refused.add(each + i);
            }
        }
        queue.deleteAll(files(names.toArray(new String[0])));
        timer.advance(Duration.ofHours(1));

        assertThat(tried).filteredOn(name -> name.startsWith("good")).hasSize(40);
        assertThat(tried).filteredOn("x9"::equals).as("attempts").hasSize(6);
    }

    /** However many calls it takes to try all. */
    @Test
    void aCallThatIsFullDoesNotCountForTheOthers() {
        String[] names = names(804);
        for (int i = 0; i < 803; i++) {
            if (i % 3 > 0 || i >= 800) {
                refused.add(names[i]);
            }
        }
        queue.deleteAll(files(names));
        timer.advance(Duration.ofHours(1));

        assertThat(tried).contains("file-803");
    }

    /** As of a directory that somebody has locked: neighbours in the list. */
    @Test
    void manyFilesThatCannotBeDeletedDoNotHoldUpMostOfTheOthers() {
        String[] names = names(1000);
        refused.addAll(List.of(names).subList(0, 100));
        queue.deleteAll(files(names));
        timer.advance(Duration.ofHours(1));

        assertThat(List.of(names).subList(100, 1000))
                .filteredOn(tried::contains)
                .hasSizeGreaterThan(800);
    }

    /** Its executor may be shut down then. */
    @Test
    void aQueueThatIsClosedDeletesTheRestInTheSameCall() {
        Queue<Runnable> calls = new ArrayDeque<>();
        DeletionQueue closed = queue(calls::add);
        closed.deleteAll(files(names(250)));
        closed.close();
        calls.remove().run();
        assertThat(tried).hasSize(250).doesNotHaveDuplicates();
        assertThat(calls).isEmpty();
    }

    /** Each call is watched for one that hangs. */
    @Test
    void manyFilesAreDeletedInSeveralCallsOneAfterTheOther() {
        Queue<Runnable> calls = new ArrayDeque<>();
        queue(calls::add).deleteAll(files(names(250)));
        calls.remove().run();
        assertThat(tried).hasSize(100);
        calls.remove().run();
        assertThat(tried).hasSize(200);
        calls.remove().run();
        assertThat(tried).hasSize(250).doesNotHaveDuplicates();
        assertThat(calls).isEmpty();
    }

    private DeletionQueue queue(Executor executor) {
        return new DeletionQueue(
                deleter, executor, DeletionSchedule.on(timer), RegistryListener.none());
    }

    private static String[] names(int number) {
        String[] names = new String[number];
        Arrays.setAll(names, i -> "file-" + i);
        return names;
    }

    /** Of a task with a terabyte. They wait as one, and so take the room of one. */
    @Test
    void anyNumberOfFilesIsTriedAgain() {
        String[] names = names(DeletionQueue.MAX_WAITING + 1);
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
