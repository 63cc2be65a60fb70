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
package io.dstl.changelog.serializer.job;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Fails a job once, when its checkpoints have a materialization and a log, and ends it when it has
 * gone on for a while. The job's parts find it by name, since they are serialized on their way.
 */
final class PlannedFailure implements AutoCloseable {

    private static final Map<String, PlannedFailure> BY_NAME = new ConcurrentHashMap<>();

    /** After the first materialization, so that it is part of a completed one. */
    private static final int CHECKPOINTS_BEFORE = 4;

    private static final int CHECKPOINTS_AFTER = 3;

    private final Path checkpoints;

    @GuardedBy("this")
    private int before;

    @GuardedBy("this")
    private int after;

    @GuardedBy("this")
    private long restoredFrom;

    private PlannedFailure(Path checkpoints) {
        this.checkpoints = checkpoints;
    }

    static PlannedFailure of(Path checkpoints) {
        PlannedFailure failure = new PlannedFailure(checkpoints);
        BY_NAME.put(failure.name(), failure);
        return failure;
    }

    static PlannedFailure named(String name) {
        return BY_NAME.get(name);
    }

    String name() {
        return checkpoints.toString();
    }

    synchronized void checkpointCompleted() throws IOException {
        if (before >= CHECKPOINTS_BEFORE) {
            after += restoredFrom > 0 ? 1 : 0;
            return;
        }
        before += isMaterialized() ? 1 : 0;
        if (before == CHECKPOINTS_BEFORE) {
            throw new IllegalStateException("The failure that the test asks for");
        }
    }

    private boolean isMaterialized() throws IOException {
        try (Stream<Path> files = Files.walk(checkpoints)) {
            return files.anyMatch(
                    file -> file.toString().contains("taskowned") && Files.isRegularFile(file));
        } catch (UncheckedIOException e) {
            // A file was deleted meanwhile; the next checkpoint looks again.
            return false;
        }
    }

    synchronized void restored(long number) {
        restoredFrom = number;
    }

    /** The number that the source went on with; 0 if it has not failed. */
    synchronized long restoredFrom() {
        return restoredFrom;
    }

    synchronized boolean isOver() {
        return after >= CHECKPOINTS_AFTER;
    }

    @Override
    public void close() {
        BY_NAME.remove(name());
    }
}
