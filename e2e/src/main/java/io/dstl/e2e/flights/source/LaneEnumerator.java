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
package io.dstl.e2e.flights.source;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;

/**
 * Hands every reader its lanes when it registers, all at once, and then tells it that there are no
 * more: a reader that waits for that word never meets a lane behind its watermark.
 *
 * <p>Lanes that a restored reader brings along are its own; only those in the pool are dealt.
 * Called by the source coordinator's thread only.
 */
final class LaneEnumerator implements SplitEnumerator<Lane, LanePool> {
    private final SplitEnumeratorContext<Lane> context;
    private final LanePool pool;

    LaneEnumerator(SplitEnumeratorContext<Lane> context, LanePool pool) {
        this.context = context;
        this.pool = pool;
    }

    @Override
    public void start() {
        // Lanes are dealt on registration.
    }

    @Override
    public void addReader(int reader) {
        List<Lane> lanes = pool.takeFor(reader, context.currentParallelism());
        if (!lanes.isEmpty()) {
            context.assignSplits(new SplitsAssignment<>(Map.of(reader, lanes)));
        }
        context.signalNoMoreSplits(reader);
    }

    @Override
    public void handleSplitRequest(int reader, String host) {
        throw new IllegalStateException("reader " + reader + " asked for a lane; none does");
    }

    @Override
    public void addSplitsBack(List<Lane> lanes, int reader) {
        lanes.forEach(pool::put);
    }

    @Override
    public LanePool snapshotState(long checkpointId) {
        return new LanePool(pool.lanes());
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
