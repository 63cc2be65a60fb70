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
package io.dstl.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ParallelWorkTest {
    private static final int THREADS = 3;
    private static final int AHEAD = THREADS * ParallelWork.AHEAD_OF_EACH_THREAD;

    private final Progress progress = new Progress(new PrintWriter(Writer.nullWriter()), () -> 0);

    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();

    @Test
    void worksOnSomeAtATimeAndKeepsTheOrder() throws Exception {
        List<Integer> things = IntStream.range(0, 300).boxed().collect(Collectors.toList());
        List<Integer> taken = new ArrayList<>();
        CyclicBarrier all = new CyclicBarrier(THREADS);
        try (ParallelWork work = new ParallelWork("test", THREADS, progress)) {
            work.forEach(
                    things.iterator(),
                    thing -> {
                        begun.incrementAndGet();
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        if (thing < THREADS) {
                            all.await(5, TimeUnit.MINUTES);
                        }
                        running.decrementAndGet();
                        return -thing;
                    },
                    (thing, result) -> {
                        assertThat(begun.get()).isLessThanOrEqualTo(taken.size() + AHEAD);
                        assertThat(result).isEqualTo(-thing);
                        taken.add(thing);
                    });
        }
        assertThat(taken).isEqualTo(things);
        assertThat(most.get()).isEqualTo(THREADS);
    }

    @Test
    void holdsNoMoreLargeResultsThanThereAreThreads() throws Exception {
        List<Integer> taken = new ArrayList<>();
        try (ParallelWork work = ParallelWork.withoutWaitingResults("test", THREADS, progress)) {
            work.forEach(
                    IntStream.range(0, 300).boxed().iterator(),
                    thing -> begun.incrementAndGet(),
                    (thing, result) -> {
                        assertThat(begun.get()).isLessThanOrEqualTo(taken.size() + THREADS);
                        taken.add(thing);
                    });
        }
        assertThat(taken).hasSize(300);
    }

    @Test
    void endsWithTheFirstFailure() {
        try (ParallelWork work = new ParallelWork("test", THREADS, progress)) {
            assertThatThrownBy(
                            () ->
                                    work.forEach(
                                            IntStream.range(0, 300).boxed().iterator(),
                                            thing -> {
                                                begun.incrementAndGet();
                                                throw new IOException("no " + thing);
                                            },
                                            (thing, result) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no 0");
        }
        assertThat(begun.get()).isLessThanOrEqualTo(AHEAD);
    }
}
