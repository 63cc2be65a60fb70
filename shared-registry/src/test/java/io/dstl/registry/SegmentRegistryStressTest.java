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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.Test;

/**
 * Writers on threads of their own share every segment. Each deletion is checked against what the
 * writers say they hold at that moment: they say so before they ask the registry for it, and until
 * they have told the registry that it is over.
 */
class SegmentRegistryStressTest {

    private static final long SEED = 7;
    private static final int WRITERS = 4;
    private static final int ROUNDS = 2000;

    private final Map<StreamStateHandle, AtomicInteger> held = new ConcurrentHashMap<>();
    private final Set<StreamStateHandle> confirmed = ConcurrentHashMap.newKeySet();
    private final Queue<StreamStateHandle> deleted = new ConcurrentLinkedQueue<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    private final ExecutorService tasks = Executors.newFixedThreadPool(WRITERS);
    private final ExecutorService deletionThreads = Executors.newFixedThreadPool(2);
    private final SegmentRegistry registry =
            new SegmentRegistry(
                    new DeletionQueue(
                            this::delete,
                            deletionThreads,
                            DeletionSchedule.none(),
                            RegistryListener.none()),
                    RegistryListener.none());

    private final List<StreamStateHandle> segments =
            Collections.synchronizedList(new ArrayList<>());

    @Test
    void neverDeletesWhatAWriterHoldsAndLeavesNothing() throws Exception {
        CyclicBarrier nextSegment = new CyclicBarrier(WRITERS, this::store);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            WriterId writer = new WriterId("writer " + i);
            Random random = new Random(SEED + i);
            registry.openWriter(writer);
            running.add(tasks.submit(() -> writeOrStopAll(writer, random, nextSegment)));
        }
        for (Future<?> task : running) {
            task.get();
        }
        registry.subsumed(new WriterId("writer 0"), ROUNDS);
        tasks.shutdown();
        deletionThreads.shutdown();
        assertThat(deletionThreads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();

        assertThat(violations).as("seed %d", SEED).isEmpty();
        assertThat(registry.liveSegments()).as("seed %d", SEED).isZero();
        assertThat(deleted).as("seed %d", SEED).doesNotHaveDuplicates();
        List<StreamStateHandle> ended = new ArrayList<>(deleted);
        ended.addAll(confirmed);
        assertThat(ended).as("seed %d", SEED).containsExactlyInAnyOrderElementsOf(segments);
        assertThat(deleted).isNotEmpty();
        assertThat(confirmed).isNotEmpty();
    }

    private void store() {
        StreamStateHandle segment = SegmentLedger.segment("segment-" + segments.size());
        held.put(segment, new AtomicInteger(WRITERS));
        segments.add(segment);
        registry.register(segment, WRITERS);
    }

    /** A writer that fails does not leave the others waiting for it. */
    private Void writeOrStopAll(WriterId writer, Random random, CyclicBarrier nextSegment)
            throws Exception {
        try {
            write(writer, random, nextSegment);
            return null;
        } catch (Throwable t) {
            violations.add(writer + ": " + t);
            tasks.shutdownNow();
            throw t;
        }
    }

    /** One checkpoint per segment; its outcome may come before or after the truncation. */
    private void write(WriterId writer, Random random, CyclicBarrier nextSegment) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            nextSegment.await();
            StreamStateHandle segment = segments.get(round);
            boolean truncateFirst = random.nextBoolean();
            boolean completes = random.nextInt(2 * WRITERS) == 0;
            CheckpointPin pin = new CheckpointPin(writer, round);
            registry.pin(pin, Collections.singleton(segment));
            if (truncateFirst) {
                registry.release(segment);
                held.get(segment).decrementAndGet();
                end(pin, segment, completes);
            } else {
                end(pin, segment, completes);
                held.get(segment).decrementAndGet();
                registry.release(segment);
            }
        }
    }

    private void end(CheckpointPin pin, StreamStateHandle segment, boolean completes) {
        if (completes) {
            confirmed.add(segment);
            registry.confirm(pin);
        } else {
            registry.abort(pin);
        }
    }

    private void delete(StreamStateHandle segment) {
        deleted.add(segment);
        if (held.get(segment).get() > 0) {
            violations.add(segment + " deleted while held");
        }
        if (confirmed.contains(segment)) {
            violations.add(segment + " deleted after it was handed over");
        }
    }
}
