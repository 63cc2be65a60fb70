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
package io.dstl.registry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointStoreUtil;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.persistence.IntegerResourceVersion;
import org.apache.flink.runtime.persistence.PossibleInconsistentStateException;
import org.apache.flink.runtime.persistence.StateHandleStore;
import org.apache.flink.runtime.state.RetrievableStateHandle;

/** What ZooKeeper is to Flink: keeps checkpoints beyond the leader, and may lose its answer. */
final class HighAvailabilityStore
        implements StateHandleStore<CompletedCheckpoint, IntegerResourceVersion>,
                CheckpointStoreUtil {

    static final String LOST = "injected: the answer is lost";

    private final TreeMap<String, CompletedCheckpoint> checkpoints = new TreeMap<>();
    private boolean answerLost;

    /** The next write succeeds, and its client is told that nobody knows. */
    void loseNextAnswer() {
        answerLost = true;
    }

    List<CompletedCheckpoint> checkpoints() {
        return new ArrayList<>(checkpoints.values());
    }

    @Override
    public String checkpointIDToName(long checkpointId) {
        return String.format(Locale.ROOT, "%019d", checkpointId);
    }

    @Override
    public long nameToCheckpointID(String name) {
        return Long.parseLong(name);
    }

    @Override
    public RetrievableStateHandle<CompletedCheckpoint> addAndLock(
            String name, CompletedCheckpoint checkpoint) throws PossibleInconsistentStateException {
        checkpoints.put(name, checkpoint);
        if (answerLost) {
            answerLost = false;
            throw new PossibleInconsistentStateException(new Exception(LOST));
        }
        return new InMemory(checkpoint);
    }

    @Override
    public boolean releaseAndTryRemove(String name) {
        return checkpoints.remove(name) != null;
    }

    @Override
    public IntegerResourceVersion exists(String name) {
        return checkpoints.containsKey(name)
                ? IntegerResourceVersion.valueOf(0)
                : IntegerResourceVersion.notExisting();
    }

    @Override
    public RetrievableStateHandle<CompletedCheckpoint> getAndLock(String name) {
        return new InMemory(checkpoints.get(name));
    }

    @Override
    public List<Tuple2<RetrievableStateHandle<CompletedCheckpoint>, String>> getAllAndLock() {
        List<Tuple2<RetrievableStateHandle<CompletedCheckpoint>, String>> all = new ArrayList<>();
        for (Map.Entry<String, CompletedCheckpoint> checkpoint : checkpoints.entrySet()) {
            all.add(Tuple2.of(new InMemory(checkpoint.getValue()), checkpoint.getKey()));
        }
        return all;
    }

    @Override
    public Collection<String> getAllHandles() {
        return new ArrayList<>(checkpoints.keySet());
    }

    @Override
    public void replace(String name, IntegerResourceVersion version, CompletedCheckpoint other) {
        throw new UnsupportedOperationException("Flink replaces no checkpoint");
    }

    @Override
    public void clearEntries() {
        checkpoints.clear();
    }

    @Override
    public void release(String name) {}

    @Override
    public void releaseAll() {}

    private static final class InMemory implements RetrievableStateHandle<CompletedCheckpoint> {

        private final CompletedCheckpoint checkpoint;

        private InMemory(CompletedCheckpoint checkpoint) {
            this.checkpoint = checkpoint;
        }

        @Override
        public CompletedCheckpoint retrieveState() {
            return checkpoint;
        }

        @Override
        public void discardState() {}

        @Override
        public long getStateSize() {
            return 0;
        }
    }
}
