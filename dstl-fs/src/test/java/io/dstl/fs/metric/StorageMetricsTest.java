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
package io.dstl.fs.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.RecordedMetrics;
import org.apache.flink.changelog.fs.ChangelogStorageMetricGroup;
import org.junit.jupiter.api.Test;

class StorageMetricsTest {

    @Test
    void haveTheNamesAndKindsOfFlinksOwnStorage() {
        RecordedMetrics stock = new RecordedMetrics();
        new ChangelogStorageMetricGroup(stock).registerUploadQueueSizeGauge(() -> 0);
        RecordedMetrics ours = new RecordedMetrics();
        new StorageMetrics(ours).showQueue(() -> 0);

        assertThat(ours.kinds())
                .containsKeys(
                        StorageMetrics.ESTIMATED_REQUESTS,
                        StorageMetrics.VOID_CHANGES,
                        StorageMetrics.VOID_BYTES);
        assertThat(ours.kinds()).containsAllEntriesOf(stock.kinds());
        assertThat(stock.kinds()).hasSize(8);
        assertThat(ours.kinds()).hasSize(15);
    }

    @Test
    void countWhatHappens() {
        RecordedMetrics group = new RecordedMetrics();
        StorageMetrics metrics = new StorageMetrics(group);

        metrics.requestBegun();
        metrics.requestBegun();
        metrics.requestFailed();
        metrics.requestStored(70, 5000);
        metrics.stored(2, 3);
        metrics.batchFlushed(4);
        metrics.otherRequests(1);
        metrics.leftOut(3, 60);
        metrics.leftOut(1, 20);

        assertThat(group.count(StorageMetrics.ESTIMATED_REQUESTS)).isEqualTo(3);
        assertThat(group.count(StorageMetrics.VOID_CHANGES)).isEqualTo(4);
        assertThat(group.count(StorageMetrics.VOID_BYTES)).isEqualTo(80);
        assertThat(group.count(StorageMetrics.UPLOAD_REQUESTS)).isEqualTo(2);
        assertThat(group.count(StorageMetrics.UPLOAD_FAILURES)).isEqualTo(1);
        assertThat(group.max(StorageMetrics.UPLOAD_SIZES)).isEqualTo(70);
        assertThat(group.max(StorageMetrics.UPLOAD_LATENCIES)).isEqualTo(5000);
        assertThat(group.max(StorageMetrics.ATTEMPTS_PER_UPLOAD)).isEqualTo(2);
        assertThat(group.max(StorageMetrics.TOTAL_ATTEMPTS_PER_UPLOAD)).isEqualTo(3);
        assertThat(group.max(StorageMetrics.BATCH_SIZES)).isEqualTo(4);
    }
}
