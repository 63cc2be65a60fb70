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
package io.dstl.bench.fleet;

import io.dstl.bench.fleet.FleetCheckpoints.Directive;
import io.dstl.bench.fleet.FleetCheckpoints.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;

/**
 * What one simulated task refers to at its checkpoints: the files of RocksDB or, with a changelog,
 * those of its last materialization and the log since then. For one thread.
 */
final class TaskState {
    private static final String STORAGE = "filesystem";

    private final TaskStates states;
    private final int subtask;
    private final KeyGroupRange keyGroups;
    private final SstFiles files;
    private final List<Tuple2<StreamStateHandle, Long>> log = new ArrayList<>();
    private final List<HandleAndLocalPath> gatheredFiles = new ArrayList<>();
    private List<KeyedStateHandle> materialized = List.of();
    private long materialization;

    TaskState(TaskStates states, int subtask) {
        this.states = states;
        this.subtask = subtask;
        this.keyGroups = states.keyGroups(subtask);
        this.files = new SstFiles(states, new UUID(1, subtask), keyGroups);
    }

    KeyedStateHandle checkpoint(Directive directive) {
        return states.settings.changelog ? withLog(directive) : withoutLog(directive);
    }

    private KeyedStateHandle withoutLog(Directive directive) {
        for (int i = 0; i < directive.gathered; i++) {
            gatheredFiles.add(
                    HandleAndLocalPath.of(
                            states.gathered(states.shape.files.bytes),
                            "gathered-" + gatheredFiles.size() + ".sst"));
        }
        if (directive.step == Step.TRUNCATE) {
            gatheredFiles.clear();
        }
        return files.snapshot(directive, gatheredFiles);
    }

    private KeyedStateHandle withLog(Directive directive) {
        if (due(directive)) {
            materialized = List.of(files.snapshot(directive, List.of()));
            materialization++;
            log.clear();
        }
        long bytes = states.shape.logBytes;
        log.add(Tuple2.of(states.segment(), subtask * bytes));
        long added = bytes;
        for (int i = 0; i < directive.gathered; i++) {
            log.add(Tuple2.of(states.gathered(bytes), 0L));
            added += bytes;
        }
        List<ChangelogStateHandle> changes =
                List.of(
                        new ChangelogStateHandleStreamImpl(
                                new ArrayList<>(log),
                                keyGroups,
                                bytes * log.size(),
                                added,
                                STORAGE));
        return new ChangelogStateBackendHandleImpl(
                materialized, changes, keyGroups, directive.checkpoint, materialization, added);
    }

    /** Each task has its turn at another checkpoint. */
    private boolean due(Directive directive) {
        if (directive.step != Step.RUN) {
            return directive.step == Step.TRUNCATE;
        }
        int period = states.settings.materializeEvery;
        long turn = (long) subtask * period / states.settings.tasks;
        return directive.checkpoint % period == turn;
    }
}
