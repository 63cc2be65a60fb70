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
package io.dstl.changelog.replay;

import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReaderThreadTest {
    private final CountDownLatch reading = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final AtomicInteger closed = new AtomicInteger();

    /** As a stream that has one lock for reading and closing. */
    @Test
    void interruptsAReadThatClosingWaitsFor() throws Exception {
        ReadAhead ahead =
                new ReadAhead(
                        (log, keyGroups) ->
                                CloseableIterator.adapterForIterator(
                                        new UntilInterrupted(),
                                        () -> {
                                            interrupted.await();
                                            closed.incrementAndGet();
                                        }),
                        new CloseableRegistry(),
                        new RestoreProgress(new ManualClock()));
        LogSource.Ahead announced = ahead.announce(List.of(onlyPart()));
        reading.await();

        announced.close();

        assertThat(closed).hasValue(1);
    }

    private static LogSource.Part onlyPart() throws IOException {
        return LoggedChangeSet.of(
                        log(DelegateKind.ALL, segment("segment", new byte[4])), DelegateKind.ALL)
                .get(0)
                .part();
    }

    private final class UntilInterrupted implements Iterator<StateChange> {
        @Override
        public boolean hasNext() {
            reading.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            throw new IllegalStateException("interrupted");
        }

        @Override
        public StateChange next() {
            throw new IllegalStateException("interrupted");
        }
    }
}
