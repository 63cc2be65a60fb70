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
package io.dstl.changelog.state;

import static io.dstl.changelog.testing.Serializers.LONGS;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.InternalPriorityQueue;
import org.apache.flink.runtime.state.InternalPriorityQueueTestBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Flink's {@link InternalPriorityQueueTestBase} on the queue that logs. */
class PriorityQueueBaseTest {
    @Nested
    class OnHeap extends OnChangelog {
        OnHeap() {
            super(Delegate.HEAP);
        }
    }

    @Nested
    class OnRocksDb extends OnChangelog {
        OnRocksDb() {
            super(Delegate.ROCKSDB);
        }
    }

    abstract static class OnChangelog extends InternalPriorityQueueTestBase {
        @TempDir private Path directory;

        private final Delegate delegate;
        private final List<LoggedBackend<Long>> backends = new ArrayList<>();

        OnChangelog(Delegate delegate) {
            this.delegate = delegate;
        }

        @AfterEach
        void close() throws Exception {
            for (LoggedBackend<Long> backend : backends) {
                backend.close();
            }
        }

        @Override
        protected InternalPriorityQueue<TestElement> newPriorityQueue(int initialCapacity) {
            try {
                Path own = Files.createDirectory(directory.resolve("queue" + backends.size()));
                LoggedBackend<Long> backend = new LoggedBackend<>(delegate, own, LONGS);
                backends.add(backend);
                return backend.queue("queue", TestElementSerializer.INSTANCE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        protected boolean testSetSemanticsAgainstDuplicateElements() {
            return true;
        }
    }
}
