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

import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.ContentSource;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.read.DirectSource;
import io.dstl.fs.segment.SetInput;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;

/** Reads local segments, and from some change set on only when the test lets it. */
final class HeldView implements StateChangelogStorageView<ChangelogStateHandleStreamImpl> {
    private final int free;
    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch held = new CountDownLatch(1);
    private volatile String failure = "";

    /**
     * @param free change sets that are read at once
     */
    HeldView(int free) {
        this.free = free;
    }

    boolean isHolding() {
        return held.getCount() > 0 && asked.get() > free;
    }

    void letGo() {
        held.countDown();
    }

    /** The sets that were held can't be read. */
    void fail(String reason) {
        failure = reason;
        held.countDown();
    }

    @Override
    public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
        return new ChangeReader(
                new HeldSource(new DirectSource(new FileSystemOpener())),
                Redaction.of(new Configuration()));
    }

    @Override
    public void close() {}

    private final class HeldSource implements ContentSource {
        private final ContentSource source;

        HeldSource(ContentSource source) {
            this.source = source;
        }

        @Override
        public SetInput open(SetRequest set, CloseableRegistry cancellation) throws IOException {
            if (asked.incrementAndGet() > free) {
                awaitLetGo();
            }
            return source.open(set, cancellation);
        }

        private void awaitLetGo() throws IOException {
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Ended while it was held");
            }
            if (!failure.isEmpty()) {
                throw new IOException(failure);
            }
        }

        @Override
        public FetchAhead fetchAhead(List<SetRequest> sets) {
            return FetchAhead.NONE;
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
    }
}
