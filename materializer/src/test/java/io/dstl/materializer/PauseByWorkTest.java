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
package io.dstl.materializer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.materializer.MaterializationPolicy.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What counts as the duration by which the next materialization is paused. */
class PauseByWorkTest extends MaterializerFixture {

    /** RocksDB compacts whether somebody waits or not. */
    @Test
    void noPauseFollowsFromTheWaitForACompaction() {
        target.waitedAhead = Duration.ofSeconds(100);
        for (int i = 0; i < 2; i++) {
            target.ahead.add(() -> clock.advanceTime(Duration.ofSeconds(103)));
        }
        startAndMaterialize();
        run();
        assertThat(metrics.read(MaterializationMetrics.LAST_DURATION)).isEqualTo(206_000L);
        expectTheShortestPause();
    }

    /** It is no work, and may take as long as the store is down. */
    @Test
    void noPauseFollowsFromTheWaitForRoomInTheLog() {
        CompletableFuture<Void> room = new CompletableFuture<>();
        target.partsOfTheLog.add(room);
        planTaking(Duration.ZERO, Duration.ofSeconds(1));
        startAndMaterialize();
        clock.advanceTime(Duration.ofMinutes(5));
        room.complete(null);
        run();
        assertThat(metrics.read(MaterializationMetrics.LAST_DURATION)).isEqualTo(301_000L);
        expectTheShortestPause();
    }

    private void expectTheShortestPause() {
        clock.advanceTime(CHECKPOINTS.multipliedBy(2));
        checkpointed(LARGE);
        run();
        assertThat(metrics.count(Reason.LOG_SIZE.metric())).isOne();
    }
}
