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
package io.dstl.e2e.chaos;

/** What a chaos run does to the cluster and to what it stands on. */
enum FaultKind {
    TASK_MANAGER_KILLED("kill -9 of a TaskManager", false, 0, 4),
    TASK_MANAGER_PAUSED("SIGSTOP of a TaskManager beyond the heartbeat, SIGCONT", false, 13, 18),
    JOB_MANAGER_KILLED("kill -9 of the leading JobManager", false, 0, 4),
    ZOOKEEPER_KILLED("kill -9 of ZooKeeper", false, 1, 6),
    ZOOKEEPER_ANSWER_LOST("ZooKeeper's answer lost after the write", false, 8, 12),
    DISK_FULL("local disk full", false, 3, 6),
    STORE_STALLED("store stalled", true, 3, 12),
    STORE_UNAVAILABLE("store answers 503", true, 3, 10),
    STORE_SLOW("store slow", true, 5, 12),
    STORE_RESETS("store resets connections", true, 3, 10),
    STORE_ANSWERS_LOST("store's answer lost after it stored", true, 3, 10);

    private final String title;
    private final boolean storage;
    private final int shortestSeconds;
    private final int longestSeconds;

    FaultKind(String title, boolean storage, int shortestSeconds, int longestSeconds) {
        this.title = title;
        this.storage = storage;
        this.shortestSeconds = shortestSeconds;
        this.longestSeconds = longestSeconds;
    }

    /** For tables. */
    String title() {
        return title;
    }

    /** Whether it is one of the object store's: no job has to restart for that. */
    boolean storage() {
        return storage;
    }

    int shortestSeconds() {
        return shortestSeconds;
    }

    int longestSeconds() {
        return longestSeconds;
    }
}
