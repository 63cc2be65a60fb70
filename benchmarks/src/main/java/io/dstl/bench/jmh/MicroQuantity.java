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
package io.dstl.bench.jmh;

import io.dstl.bench.report.Quantity;

/** What the micro benchmark finds of a case. In the order of the table. */
enum MicroQuantity {
    NANOS("ns/op", "nanos", "%.0f"),
    CPU_NANOS("CPU of the task's thread, ns/op", "taskCpuNanos", "%.0f"),
    TASK_BYTES("allocated by the task's thread, B/op", "taskBytes", "%.0f"),
    ALL_BYTES("allocated by all threads, B/op", "allBytes", "%.0f"),
    LOG_BYTES("log, B/op", "logBytes", "%.1f"),
    REPLAY("replay, updates/s", "replayedUpdates", "%.0f"),
    REPLAY_BY_CPU("replay, updates per second of CPU", "replayedUpdatesByCpu", "%.0f"),
    FIRST_REPLAY("first replay of a JVM, updates/s", "firstReplayedUpdates", "%.0f");

    private final String title;
    private final String key;
    private final String format;

    MicroQuantity(String title, String key, String format) {
        this.title = title;
        this.key = key;
        this.format = format;
    }

    String title() {
        return title;
    }

    String format() {
        return format;
    }

    /** Of a log of a number of updates, as against single updates. */
    boolean isOfLog() {
        return compareTo(LOG_BYTES) >= 0;
    }

    Quantity of(JmhCase of) {
        return Quantity.of(rowTitle(of) + ": " + title, of.key() + "." + key, format);
    }

    boolean isOf(Quantity quantity) {
        return quantity.key().endsWith("." + key);
    }

    /** Where the heading says the rest. */
    String rowTitle(JmhCase of) {
        return of.subject() + (isOfLog() ? " (" + of.circumstances() + ")" : of.exception());
    }
}
