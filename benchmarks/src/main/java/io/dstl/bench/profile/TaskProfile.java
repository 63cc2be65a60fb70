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
package io.dstl.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the threads of some vertices of a job spent their CPU time on, all subtasks together. */
public final class TaskProfile {
    private static final double PERCENT = 100;

    private final Map<Work, Long> nanos = new EnumMap<>(Work.class);
    private final Map<String, Long> changelogMethods = new TreeMap<>();
    private long task;
    private long process;

    /**
     * @param vertices what their names begin with
     * @throws IOException if the recording cannot be read, or has nothing of such a thread
     */
    public static TaskProfile of(List<String> vertices, Path recording) throws IOException {
        TaskProfile profile = new TaskProfile(vertices, SampledStack.read(recording));
        if (profile.task == 0) {
            throw new IOException(
                    recording
                            + " has no sample of a thread of '"
                            + String.join("', '", vertices)
                            + "': record for longer");
        }
        return profile;
    }

    TaskProfile(List<String> vertices, List<SampledStack> stacks) {
        // As Flink names the thread of a task: its chain, subtask and attempt; SQL numbers
        // operators.
        Pattern taskThread =
                Pattern.compile(
                        vertices.stream()
                                        .map(Pattern::quote)
                                        .collect(Collectors.joining("|", "(", ")"))
                                + "(\\[\\d+])?( -> .*)? \\(\\d+/\\d+\\)#\\d+");
        for (SampledStack stack : stacks) {
            process += stack.nanos;
            if (taskThread.matcher(stack.thread).matches()) {
                add(stack);
            }
        }
    }

    private void add(SampledStack stack) {
        Attribution attribution = Attribution.of(stack.frames);
        task += stack.nanos;
        nanos.merge(attribution.work, stack.nanos, Long::sum);
        if (attribution.work == Work.CHANGELOG) {
            attribution.owner.ifPresent(
                    method -> changelogMethods.merge(method.label(), stack.nanos, Long::sum));
        }
    }

    /** CPU time of the task threads, in nanoseconds. */
    public long taskNanos() {
        return task;
    }

    /** CPU time of all threads of the process, in nanoseconds. */
    public long processNanos() {
        return process;
    }

    /** Of that of the task threads, in percent: all kinds of work come to 100. */
    public double percent(Work work) {
        return percent(nanos.getOrDefault(work, 0L));
    }

    /**
     * The methods of the changelog that took most, in percent of the task threads: what they did
     * themselves or called serializers and the JDK for.
     */
    public Map<String, Double> changelogMethods(int count) {
        Map<String, Double> top = new LinkedHashMap<>();
        changelogMethods.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(count)
                .forEach(method -> top.put(method.getKey(), percent(method.getValue())));
        return top;
    }

    private double percent(long part) {
        return PERCENT * part / task;
    }

    /** What a task's thread is busy with; each moment is one of them. */
    public enum Work {
        ROCKSDB("rocksdb", "RocksDB's own calls"),
        SERIALIZERS("serializers", "the state's serializers, for RocksDB"),
        STATE("state", "Flink's keyed backend and states"),
        CHANGELOG("changelog", "the changelog, serializing for it included"),
        FUNCTION("function", "the job's function and key selector"),
        NETWORK("network", "network, deserialization of records"),
        CHECKPOINTS(
                "checkpoints",
                "checkpoints but the changelog's part: barriers, RocksDB's snapshots"),
        FLINK("flink", "the rest of Flink: operator, mailbox, timers, metrics"),
        OTHER("other", "not told");

        private final String key;
        private final String title;

        Work(String key, String title) {
            this.key = key;
            this.title = title;
        }

        /** For programs. */
        public String key() {
            return key;
        }

        /** For a reader. */
        public String title() {
            return title;
        }
    }
}
