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
package io.dstl.store.s3;

import static org.apache.flink.util.concurrent.Executors.newDirectExecutorServiceWithNoOpShutdown;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.store.LogThrottle;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.ThrottledException;
import io.minio.credentials.StaticProvider;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A read goes on after what is not the end of the object, and no refusal for good. */
class ReadGoesOnTest {

    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();
    private final LoopbackS3 server = loopback.server();
    private final SegmentStore store =
            loopback.store(
                    new JobID(1, 2), Runnable::run, newDirectExecutorServiceWithNoOpShutdown());

    private FileStateHandle stored(int... content) throws Exception {
        return store.put("one", DirectSegmentStoreTest.content(content), PutListener.NONE).get();
    }

    /** A gateway may send less than it was asked for. */
    @Test
    void whereAnAnswerHasLessThanThereIs() throws Exception {
        FileStateHandle segment = stored(1, 2, 3, 4);
        server.next(LoopbackS3.cutOff(200, 3, new byte[] {1, 2, 3}));
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2, 3, 4);
        }
        assertThat(server.headers(2).get("Range")).containsExactly("bytes=3-");
        assertThat(loopback.pauses()).isEmpty();
    }

    @Test
    void onlyToTheEndOfAnObjectThatIsShorterThanItsHandleTells() throws Exception {
        FileStateHandle told = new FileStateHandle(stored(1, 2).getFilePath(), 4);
        try (FSDataInputStream content = store.open(told)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2);
            assertThat(content.read()).isEqualTo(-1);
        }
        assertThat(loopback.pauses()).isEmpty();
    }

    @Test
    void whereEachConnectionBreaksAfterAByte() throws Exception {
        FileStateHandle segment = stored(new int[30]);
        for (int i = 0; i < 20; i++) {
            int left = 30 - i;
            server.next(LoopbackS3.cutOff(left == 30 ? 200 : 206, left, new byte[] {0}));
        }
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).hasSize(30);
        }
        assertThat(loopback.pauses()).hasSize(20);
    }

    @Test
    void isToldOfOnceWhenItFailsOften() {
        Retries retries = Retries.blocking(() -> 0.5, Instant::now);
        IOException broken = new IOException("reset");
        int told = 0;
        for (int failures = 1; failures < 100; failures++) {
            told += retries.ofRead(failures, broken) == LogThrottle.Length.NOTHING ? 0 : 1;
        }
        assertThat(told).isOne();
    }

    /** A restore of a thousand segments from a store that throttles has one line a minute. */
    @Test
    void isToldOfInFullOnceWhereManyFailAlike() {
        Instant[] now = {Instant.EPOCH};
        Retries retries = Retries.blocking(() -> 0.5, () -> now[0]);
        List<LogThrottle.Length> told = new ArrayList<>();
        for (int reads = 0; reads < 3; reads++) {
            for (int failures = 1; failures <= 10; failures++) {
                told.add(
                        retries.ofRow("read", failures, new ThrottledException("slow down", null)));
            }
            now[0] = now[0].plusSeconds(reads == 0 ? 59 : 2);
        }
        told.removeIf(LogThrottle.Length.NOTHING::equals);
        assertThat(told).containsExactly(LogThrottle.Length.FULL, LogThrottle.Length.LINE);
        assertThat(retries.ofRow("store", 4, new ThrottledException("slow down", null)))
                .isEqualTo(LogThrottle.Length.FULL);
    }

    /** They were revoked, or the clock is slow: others are asked for, which takes a moment. */
    @Test
    void whereCredentialsAreRefusedThatAreRenewed() throws Exception {
        server.next(LoopbackS3.error(400, "ExpiredToken"));
        server.next(LoopbackS3.answer(200, "x"));
        try (FSDataInputStream content =
                loopback.patientReader(
                        new StaticProvider("key", "secret", "token"),
                        LoopbackStore.refusals(true))) {
            assertThat(content.read()).isEqualTo('x');
        }
        assertThat(loopback.pauses()).hasSize(1);
    }
}
