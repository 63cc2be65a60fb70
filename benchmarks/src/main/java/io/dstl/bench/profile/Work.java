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

/** What a task's thread is busy with; each moment is one of them. */
public enum Work {
    ROCKSDB("rocksdb", "RocksDB's own calls"),
    SERIALIZERS("serializers", "the state's serializers, for RocksDB"),
    STATE("state", "Flink's keyed backend and states"),
    CHANGELOG("changelog", "the changelog, serializing for it included"),
    FUNCTION("function", "the job's function and key selector"),
    NETWORK("network", "network, deserialization of records"),
    CHECKPOINTS(
            "checkpoints", "checkpoints but the changelog's part: barriers, RocksDB's snapshots"),
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
