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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

/** Keeps what the enumerator tells the readers, in order. */
final class RecordingContext implements SplitEnumeratorContext<Lane> {
    private final int parallelism;
    private final List<String> calls = new ArrayList<>();
    private final List<Lane> dealt = new ArrayList<>();

    RecordingContext(int parallelism) {
        this.parallelism = parallelism;
    }

    List<String> calls() {
        return calls;
    }

    List<Lane> dealt() {
        return dealt;
    }

    @Override
    public int currentParallelism() {
        return parallelism;
    }

    @Override
    public void assignSplits(SplitsAssignment<Lane> assignment) {
        assignment
                .assignment()
                .forEach(
                        (reader, lanes) -> {
                            calls.add("assign " + reader);
                            dealt.addAll(lanes);
                        });
    }

    @Override
    public void signalNoMoreSplits(int reader) {
        calls.add("end " + reader);
    }

    @Override
    public Map<Integer, ReaderInfo> registeredReaders() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SplitEnumeratorMetricGroup metricGroup() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sendEventToSourceReader(int reader, SourceEvent event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> void callAsync(
            Callable<T> callable, BiConsumer<T, Throwable> handler, long delay, long period) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void runInCoordinatorThread(Runnable runnable) {
        throw new UnsupportedOperationException();
    }
}
