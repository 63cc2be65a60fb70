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
package io.dstl.bench.micro;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.View;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/**
 * Flushes and compactions that RocksDB has yet to do for a task, by its own metrics: each variant's
 * backend registers them here.
 *
 * <p>For one thread, which is the task's.
 */
final class RocksDbWork extends UnregisteredMetricsGroup {
    private static final List<String> COUNTS =
            List.of(
                    "mem-table-flush-pending",
                    "num-running-flushes",
                    "compaction-pending",
                    "num-running-compactions");

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Two minutes at least. */
    private static final int MOST_PAUSES = 120_000;

    private final Map<String, List<Gauge<?>>> counts = new HashMap<>();

    /** Has a backend register what is counted here. */
    static void ask(Configuration configuration) {
        COUNTS.forEach(
                name -> configuration.setString("state.backend.rocksdb.metrics." + name, "true"));
    }

    /**
     * Waits until there is none.
     *
     * @throws IllegalStateException if the backend has not registered each of the metrics, or if
     *     there is work for longer than RocksDB ever takes
     */
    void awaitEnd() {
        if (!counts.keySet().containsAll(COUNTS)) {
            throw new IllegalStateException(
                    "Of RocksDB's metrics "
                            + COUNTS
                            + " only "
                            + counts.keySet()
                            + " were registered: its work cannot be waited for");
        }
        for (int pauses = 0; isSome(); pauses++) {
            if (pauses == MOST_PAUSES) {
                throw new IllegalStateException("RocksDB does not come to rest");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private boolean isSome() {
        // In their order: a flush that has ended may have begun a compaction.
        return COUNTS.stream()
                .flatMap(name -> counts.get(name).stream())
                .anyMatch(RocksDbWork::isSome);
    }

    private static boolean isSome(Gauge<?> count) {
        // It has the value of its last update, which a registry would bring about now and then.
        ((View) count).update();
        return ((Number) count.getValue()).longValue() > 0;
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        COUNTS.stream()
                .filter(name::endsWith)
                .forEach(count -> counts.computeIfAbsent(count, c -> new ArrayList<>()).add(gauge));
        return gauge;
    }

    @Override
    public MetricGroup addGroup(String name) {
        return this;
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
        return this;
    }
}
