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
package io.dstl.harness.rest;

import static io.dstl.harness.rest.FlinkRest.required;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;

/** What {@code /jobs/:id} says of a job at one moment. */
public final class JobStatus {
    private final String state;
    private final int tasks;
    private final int runningTasks;
    private final int finishedTasks;
    private final Map<String, Long> recordsRead = new HashMap<>();

    private JobStatus(JsonNode json) {
        state = required(json, "state").textValue();
        int all = 0;
        int running = 0;
        int finished = 0;
        for (JsonNode vertex : required(json, "vertices")) {
            JsonNode counts = required(vertex, "tasks");
            all += required(vertex, "parallelism").intValue();
            running += required(counts, "RUNNING").intValue();
            finished += required(counts, "FINISHED").intValue();
            recordsRead.put(
                    required(vertex, "name").textValue(),
                    vertex.path("metrics").path("read-records").asLong());
        }
        tasks = all;
        runningTasks = running;
        finishedTasks = finished;
    }

    static JobStatus of(JsonNode json) {
        return new JobStatus(json);
    }

    /** Flink's name of the job's state. */
    public String state() {
        return state;
    }

    /** Whether each task has its state back and works, or has done its work. */
    public boolean allTasksAtWork() {
        return state.equals("RUNNING") && tasks > 0 && runningTasks + finishedTasks == tasks;
    }

    /**
     * How many records the vertex has read since its tasks were last started; 0 while they have not
     * reported. A vertex goes by the name of its first operator.
     */
    public long recordsRead(String operator) {
        return recordsRead.entrySet().stream()
                .filter(vertex -> vertex.getKey().startsWith(operator))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    public boolean finished() {
        return state.equals("FINISHED");
    }

    public boolean canceled() {
        return state.equals("CANCELED");
    }

    public boolean failed() {
        return state.equals("FAILED");
    }
}
