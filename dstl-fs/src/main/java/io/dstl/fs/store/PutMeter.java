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
package io.dstl.fs.store;

import io.dstl.fs.metric.PutMetrics;
import io.dstl.fs.metric.StorageMetrics;

/** Shows in the metrics of a storage what becomes of its puts. Any thread. */
public final class PutMeter implements PutObserver {

    private final StorageMetrics storage;
    private final PutMetrics puts;

    public PutMeter(StorageMetrics storage, PutMetrics puts) {
        this.storage = storage;
        this.puts = puts;
    }

    @Override
    public void latencies(PutLatencies latencies) {
        for (SizeClass size : SizeClass.values()) {
            puts.showLatencies(size, latencies.of(size));
        }
    }

    @Override
    public void requestBegun() {
        storage.attemptBegun();
    }

    @Override
    public void requestStored(long bytes, long nanos) {
        storage.attemptSucceeded(bytes, nanos);
    }

    @Override
    public void requestFailed() {
        storage.attemptFailed();
    }

    @Override
    public void otherRequests(int sent) {
        storage.otherRequests(sent);
    }

    @Override
    public void throttled() {
        puts.throttled();
    }

    @Override
    public void retried() {
        puts.retried();
    }

    @Override
    public void hedgeSent() {
        puts.hedgeSent();
    }

    @Override
    public void hedgeWon() {
        puts.hedgeWon();
    }

    @Override
    public void stored(int winner, int started) {
        storage.uploadSucceeded(winner, started);
    }
}
