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
package io.dstl.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.secret.Redaction;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.local.LocalDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ten thousand segments: each is read, as many at once as there are threads, and no more. */
class ManySegmentsTest extends VerifyFixture {
    private static final int SEGMENTS = 10_000;
    private static final int THREADS = 4;

    private Path metadata;

    @BeforeEach
    void aCheckpointOfThem() throws IOException {
        List<TestSegment> segments = new ArrayList<>(List.of(first));
        for (int number = 101; segments.size() < SEGMENTS; number++) {
            segments.add(first.copy(number));
        }
        TestSegment[] log = segments.toArray(new TestSegment[0]);
        metadata = metadata(9, logOf(LOWER, 0, log), logOf(UPPER, 1, log));
    }

    @Test
    void readsThemAll() throws IOException {
        assertThat(run(metadata)).isZero();
        assertThat(printed())
                .contains(
                        "Segments intact, by their checksums: 10,000, in bytes "
                                + String.format(Locale.ROOT, "%,d", 10_000L * first.bytes()));
    }

    @Test
    void asManyAtOnceAsThereAreThreadsAndInOrder() throws Exception {
        NeededObjects needed = new NeededObjects();
        needed.add(
                new VerifiedCheckpoint(null),
                MetadataFile.at(new org.apache.flink.core.fs.Path(metadata.toUri())).read());
        OpenSegments open = new OpenSegments();
        ObjectCheck check = new ObjectCheck(open::open, Redaction.OF_URIS);
        List<StoredObject> found = new ArrayList<>();
        Progress progress = new Progress(new PrintWriter(err), () -> 0);
        try (ParallelWork work = new ParallelWork("verify", THREADS, progress)) {
            work.forEach(
                    needed.all().iterator(),
                    check::check,
                    (object, finding) -> {
                        found.add(object);
                        assertThat(open.opened.get() - found.size())
                                .isLessThanOrEqualTo(THREADS * 65);
                    });
        }
        assertThat(found).containsExactlyElementsOf(needed.all());
        assertThat(open.opened).hasValue(SEGMENTS);
        assertThat(open.mostAtOnce).hasValue(THREADS);
        assertThat(open.now).hasValue(0);
    }

    /** Counts open segments; the first of them wait until there is one for each thread. */
    private static final class OpenSegments {
        private final AtomicInteger opened = new AtomicInteger();
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger mostAtOnce = new AtomicInteger();
        private final CyclicBarrier firstOfEachThread = new CyclicBarrier(THREADS);

        FSDataInputStream open(StreamStateHandle segment) throws IOException {
            mostAtOnce.accumulateAndGet(now.incrementAndGet(), Math::max);
            if (opened.incrementAndGet() <= THREADS) {
                awaitTheOthers();
            }
            return new LocalDataInputStream(
                    Path.of(((FileStateHandle) segment).getFilePath().getPath()).toFile()) {
                @Override
                public void close() throws IOException {
                    now.decrementAndGet();
                    super.close();
                }
            };
        }

        private void awaitTheOthers() throws IOException {
            try {
                firstOfEachThread.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IOException(e);
            }
        }
    }
}
