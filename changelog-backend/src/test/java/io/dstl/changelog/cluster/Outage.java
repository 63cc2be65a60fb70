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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What happens to a job: it fails when its state has a materialization and a log, and while its
 * subtasks restore, no file is in the store. The job's parts find it by name, since they are
 * serialized on their way.
 */
final class Outage implements AutoCloseable {

    private static final Map<String, Outage> BY_NAME = new ConcurrentHashMap<>();

    /** Checkpoints after the first materialization, so that it is part of a completed one. */
    private static final int CHECKPOINTS_BEFORE = 4;

    /** Checkpoints after the restart, by which the job is seen to work again. */
    private static final int CHECKPOINTS_AFTER = 4;

    private final Path store;
    private final Path local;
    private final int subtasks;

    @GuardedBy("this")
    private int before;

    @GuardedBy("this")
    private int after;

    @GuardedBy("this")
    private boolean failed;

    @GuardedBy("this")
    private int restored;

    private Outage(Path store, Path local, int subtasks) {
        this.store = store;
        this.local = local;
        this.subtasks = subtasks;
    }

    static Outage of(Path store, Path local, int subtasks) {
        Outage outage = new Outage(store, local, subtasks);
        BY_NAME.put(outage.name(), outage);
        return outage;
    }

    static Outage named(String name) {
        return BY_NAME.get(name);
    }

    String name() {
        return store.toString();
    }

    /** A checkpoint has completed. */
    synchronized void checkpointCompleted() throws IOException {
        if (failed) {
            after += restored == subtasks ? 1 : 0;
            return;
        }
        before += isMaterialized() ? 1 : 0;
        if (before > CHECKPOINTS_BEFORE) {
            failed = true;
            throw new IllegalStateException("asked to fail");
        }
    }

    private boolean isMaterialized() throws IOException {
        try (Stream<Path> files = Files.walk(local)) {
            return files.anyMatch(file -> file.getFileName().toString().matches("chk_\\d+"));
        } catch (UncheckedIOException e) {
            // A file was deleted meanwhile; the next checkpoint looks again.
            return false;
        }
    }

    /** A subtask is about to restore its state. */
    synchronized void restoring() throws IOException {
        if (failed && restored < subtasks) {
            move(store, away());
        }
    }

    /** A subtask has restored its state. */
    synchronized void restored() throws IOException {
        if (failed && ++restored == subtasks) {
            move(away(), store);
        }
    }

    synchronized int restoredMeanwhile() {
        return restored;
    }

    synchronized boolean isOver() {
        return after >= CHECKPOINTS_AFTER;
    }

    private Path away() {
        return store.resolveSibling("away");
    }

    /** Each file for itself, as others may come and go meanwhile. */
    private static void move(Path from, Path to) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(from)) {
            files = all.filter(Files::isRegularFile).collect(Collectors.toList());
        }
        for (Path file : files) {
            Path target = to.resolve(from.relativize(file).toString());
            Files.createDirectories(target.getParent());
            try {
                Files.move(file, target);
            } catch (NoSuchFileException e) {
                // The job has deleted it.
            }
        }
    }

    @Override
    public void close() {
        BY_NAME.remove(name());
    }
}
