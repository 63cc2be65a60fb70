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

import static io.dstl.registry.SegmentLedger.segment;

import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.StreamStateHandle;

/** A queue whose threads and time a test moves by hand, and the stores that it deletes in. */
abstract class DeletionQueueFixture {
    final SegmentLedger ledger = new SegmentLedger();
    final ManualExecutor executor = new ManualExecutor();
    final ManualTimer timer = new ManualTimer();
    final StreamStateHandle a = segment("a");
    final StreamStateHandle b = segment("b");
    final StreamStateHandle c = segment("c");
    final Batches store = new Batches();

    List<StreamStateHandle> deleteMany(DeletionQueue queue, int number) {
        List<StreamStateHandle> segments = many(number);
        segments.forEach(queue::delete);
        return segments;
    }

    static List<StreamStateHandle> many(int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> segment("segment-" + i))
                .collect(Collectors.toList());
    }

    static void delete(DeletionQueue queue, StreamStateHandle... segments) {
        Arrays.asList(segments).forEach(queue::delete);
    }

    void runNextTimer() {
        timer.runNext();
        executor.runAll();
    }

    /** Until nothing waits any more. */
    void runToTheEnd() {
        executor.runAll();
        while (timer.size() > 0) {
            runNextTimer();
        }
    }

    /** Deletes several with one request. */
    static final class Batches implements SegmentDeleter {
        static final int SIZE = 10;

        final List<List<StreamStateHandle>> requests = new ArrayList<>();
        final Set<StreamStateHandle> failing = new HashSet<>();
        final List<StreamStateHandle> alone = new ArrayList<>();
        int size = SIZE;

        /** More fail together. */
        int atMost = SIZE;

        boolean throwing = true;

        Stream<Integer> sizes() {
            return requests.stream().map(List::size);
        }

        @Override
        public int batchSize() {
            return size;
        }

        @Override
        public void delete(StreamStateHandle segment) throws IOException {
            alone.add(segment);
            if (failing.contains(segment)) {
                throw new IOException("403 Forbidden");
            }
        }

        @Override
        public Map<StreamStateHandle, ? extends Throwable> deleteBatch(
                Collection<StreamStateHandle> segments) throws Exception {
            requests.add(new ArrayList<>(segments));
            Map<StreamStateHandle, Throwable> failures = new HashMap<>();
            if (segments.size() > atMost) {
                IOException together = new IOException("503 Slow Down");
                if (throwing) {
                    throw together;
                }
                segments.forEach(segment -> failures.put(segment, together));
                return failures;
            }
            for (StreamStateHandle segment : segments) {
                if (failing.contains(segment)) {
                    failures.put(segment, new IOException("403 Forbidden"));
                }
            }
            return failures;
        }
    }

    DeletionQueue queue(SegmentDeleter deleter) {
        return new DeletionQueue(deleter, executor, DeletionSchedule.none(), ledger);
    }

    DeletionQueue retrying(SegmentDeleter deleter) {
        return new DeletionQueue(deleter, executor, DeletionSchedule.on(timer), ledger);
    }

    /** Fails so many times, and then no more. */
    static final class Refusals implements SegmentDeleter {
        final int failures;
        int attempts;

        Refusals(int failures) {
            this.failures = failures;
        }

        @Override
        public void delete(StreamStateHandle segment) throws IOException {
            if (attempts++ < failures) {
                throw new IOException("503 Slow Down");
            }
        }
    }
}
