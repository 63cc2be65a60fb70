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
package io.dstl.changelog.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A {@link PlannedFailure} while whose subtasks restore, no file is in the store. */
final class Outage extends PlannedFailure {

    private final Path store;
    private final int subtasks;

    @GuardedBy("this")
    private int restored;

    private Outage(Path store, Path checkpoints, int subtasks) {
        super(checkpoints);
        this.store = store;
        this.subtasks = subtasks;
    }

    /**
     * @param checkpoints of the job, in the store
     */
    static Outage of(Path store, Path checkpoints, int subtasks) {
        return findable(new Outage(store, checkpoints, subtasks));
    }

    static Outage named(String name) {
        return (Outage) PlannedFailure.named(name);
    }

    /** A subtask is about to restore its state. */
    synchronized void restoring() throws IOException, InterruptedException {
        if (hasFailed() && restored < subtasks) {
            awaitSourceRestored();
            move(store, away());
        }
    }

    /** A subtask has restored its state. */
    synchronized void subtaskRestored() throws IOException {
        if (hasFailed() && ++restored == subtasks) {
            move(away(), store);
        }
    }

    synchronized int restoredMeanwhile() {
        return restored;
    }

    private Path away() {
        return store.resolveSibling("away");
    }

    /** Each file for itself, as others may come and go meanwhile. */
    private static void move(Path from, Path to) throws IOException {
        for (Path file : PathsBelow.files(from)) {
            Path target = to.resolve(from.relativize(file).toString());
            Files.createDirectories(target.getParent());
            try {
                Files.move(file, target);
            } catch (NoSuchFileException e) {
                // The job has deleted it.
            }
        }
    }
}
