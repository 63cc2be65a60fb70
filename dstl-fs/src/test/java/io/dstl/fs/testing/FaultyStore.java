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
package io.dstl.fs.testing;

import io.dstl.fs.store.Naming;
import io.dstl.fs.store.PutListener;
import io.dstl.fs.store.SegmentContent;
import io.dstl.fs.store.SegmentStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * A store whose puts fail at random: before, half-way or by an {@link Error}; and the executor of
 * the store below it, which runs puts in random order, or late. All by the seed of the random.
 */
public final class FaultyStore implements SegmentStore {

    private final Random random;
    private final int failuresPercent;
    private int failures;
    private SegmentStore store;

    public FaultyStore(Random random, int failuresPercent) {
        this.random = random;
        this.failuresPercent = failuresPercent;
    }

    public void over(SegmentStore below) {
        this.store = below;
    }

    /** Runs tasks when told to, in random order. */
    public static final class Threads implements Executor {

        private final List<Runnable> tasks = new ArrayList<>();
        private final Random random;

        public Threads(Random random) {
            this.random = random;
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        public void runOne() {
            if (!tasks.isEmpty()) {
                tasks.remove(random.nextInt(tasks.size())).run();
            }
        }

        public void runAll() {
            while (!tasks.isEmpty()) {
                runOne();
            }
        }
    }

    @Override
    public Naming naming() {
        return store.naming();
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        if (random.nextInt(100) >= failuresPercent) {
            return store.put(name, content, listener);
        }
        failures++;
        int kind = random.nextInt(3);
        return store.put(
                name,
                out -> {
                    if (kind == 0) {
                        throw new IOException("injected: before a byte is written");
                    }
                    content.writeTo(out);
                    if (kind == 1) {
                        throw new IOException("injected: after all bytes are written");
                    }
                    throw new AssertionError("injected: an Error");
                },
                listener);
    }

    public int failures() {
        return failures;
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return store.open(segment);
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        store.delete(segment);
    }

    @Override
    public void discard(String name) throws IOException {
        store.discard(name);
    }
}
