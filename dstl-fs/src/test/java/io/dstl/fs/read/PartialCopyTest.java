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
package io.dstl.fs.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.StoredSegment;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.core.fs.CloseableRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartialCopyTest {

    @TempDir Path directory;

    /** A TaskManager restores by many threads, and Flink limits the direct memory of a process. */
    @Test
    void aThreadThatDownloadsAnIndexKeepsLittleDirectMemory() throws Exception {
        Changes changes = new Changes();
        for (int i = 0; i < 200; i++) {
            changes.add(1, new byte[10_000]);
        }
        StoredSegment segment = new StoredSegment(false, changes.seal());
        Path file = directory.resolve("copy");
        PartialCopy copy = new PartialCopy(segment.handle(), file, segment);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            long kept =
                    thread.submit(
                                    () -> {
                                        long before = directBytes();
                                        copy.index(new CloseableRegistry());
                                        return directBytes() - before;
                                    })
                            .get();
            assertThat(kept).isLessThanOrEqualTo(PartialCopy.BUFFER_BYTES);
        } finally {
            thread.shutdownNow();
        }
        byte[] stored = segment.bytes();
        int tail = stored.length - (1 << 20);
        byte[] written = Files.readAllBytes(file);
        assertThat(Arrays.equals(written, tail, written.length, stored, tail, stored.length))
                .isTrue();
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
