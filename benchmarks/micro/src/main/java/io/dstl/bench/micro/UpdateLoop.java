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

import io.dstl.bench.micro.BenchmarkTask.PendingCheckpoint;
import io.dstl.bench.micro.PayloadKind.Payload;
import io.dstl.bench.micro.StateKind.Update;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * Updates one state after the other, and takes a checkpoint every so many updates, one at a time:
 * while one is under way, none begins. For the task's thread.
 */
final class UpdateLoop<T> {
    private static final int UPDATES_REHEARSED = 10;

    private final BenchmarkTask task;
    private final Payload<T> payload;
    private final Update<T> update;
    private final Long[] keys;
    private final int[] positions;
    private final int interval;
    private final int batch;
    private final boolean checkpoints;
    private int position;
    private int sinceCheckpoint;
    private long lastCheckpoint;
    private PendingCheckpoint pending;
    private long updates;

    UpdateLoop(BenchmarkTask task, Payload<T> payload, Scene scene) throws Exception {
        this.task = task;
        this.payload = payload;
        this.update = Update.of(StateKind.of(scene.kind), task.backend(), payload.serializer());
        this.keys = new Long[scene.keys];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (long) i;
        }
        this.positions = KeyOrder.of(scene.workload).positions(scene.keys);
        this.interval = scene.interval;
        this.batch = scene.batch;
        this.checkpoints = scene.changelog;
    }

    long updates() {
        return updates;
    }

    /** Gives each key a value, so that all updates meet the same state. */
    void fill() throws Exception {
        for (Long key : keys) {
            update(key);
        }
    }

    /**
     * Takes checkpoints, until the compiler is done with what runs once for each: a job has taken
     * thousands. Without a changelog it makes the same updates.
     */
    void rehearse(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            for (int k = 0; k < UPDATES_REHEARSED; k++) {
                next();
            }
            settle();
        }
    }

    /** A batch ends halfway between two checkpoints: the last one's upload runs beside it too. */
    void halfway() {
        sinceCheckpoint = interval / 2;
    }

    /** As many updates as are timed together. */
    void run() throws Exception {
        for (int i = 0; i < batch; i++) {
            next();
        }
    }

    void next() throws Exception {
        update(keys[positions[position]]);
        position++;
        if (position == positions.length) {
            position = 0;
        }
    }

    private void update(Long key) throws Exception {
        task.betweenRecords();
        task.backend().setCurrentKey(key);
        update.apply(payload.next());
        updates++;
        sinceCheckpoint++;
        if (sinceCheckpoint >= interval && checkpoints) {
            checkpointIfIdle();
        }
    }

    private void checkpointIfIdle() throws Exception {
        if (pending != null) {
            if (!pending.isDone()) {
                return;
            }
            task.complete(pending);
        }
        // One that is late does not delay those after it: each variant takes as many.
        sinceCheckpoint -= interval;
        lastCheckpoint++;
        pending = task.checkpoint(lastCheckpoint);
    }

    /** So that the next one is due after its number of updates, however long this one takes. */
    void awaitCheckpoint() throws Exception {
        if (pending != null) {
            task.complete(pending);
            pending = null;
        }
    }

    /** Takes a checkpoint of all there is and waits for it. Without a changelog there is none. */
    Optional<KeyedStateHandle> settle() throws Exception {
        if (!checkpoints) {
            return Optional.empty();
        }
        awaitCheckpoint();
        sinceCheckpoint = 0;
        lastCheckpoint++;
        return task.complete(task.checkpoint(lastCheckpoint));
    }
}
