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
package io.dstl.fs.batch;

import io.dstl.registry.WriterId;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tells for each checkpoint when the last of the open writers has handed in.
 *
 * <p>Not thread-safe; guarded by its owner's lock.
 */
final class CheckpointTracker {

    /** More checkpoints than this are never in flight; older ones were given up. */
    private static final int MAX_CHECKPOINTS = 100;

    private final Set<WriterId> open = new HashSet<>();
    private final TreeMap<Long, Set<WriterId>> present = new TreeMap<>();

    void open(WriterId writer) {
        open.add(writer);
    }

    void close(WriterId writer) {
        open.remove(writer);
        present.values().forEach(writers -> writers.remove(writer));
    }

    /** Marks a writer as present; true if it is the last one that was missing. */
    boolean isComplete(WriterId writer, long checkpointId) {
        Set<WriterId> writers = present.computeIfAbsent(checkpointId, id -> new HashSet<>());
        writers.add(writer);
        if (writers.size() < open.size()) {
            if (present.size() > MAX_CHECKPOINTS) {
                present.pollFirstEntry();
            }
            return false;
        }
        present.headMap(checkpointId, true).clear();
        return true;
    }
}
