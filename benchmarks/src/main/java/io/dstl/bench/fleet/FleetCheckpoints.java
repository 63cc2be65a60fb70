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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The checkpoints of the whole fleet: begins each of them on all TaskManagers when its first source
 * is asked to, says what the tasks have to do at it, and writes down when it was acknowledged and
 * confirmed, one line each. Thread-safe.
 *
 * <p>When a file {@link #GATHER} appears beside that one, the tasks refer to more at each of the
 * next checkpoints; when {@link #TRUNCATE} does, they give all of that up at the next one.
 */
public final class FleetCheckpoints {
    /** The file that asks for more, beside the one that this writes. */
    public static final String GATHER = "gather";

    /** The file that asks for the truncation, the same way. */
    public static final String TRUNCATE = "truncate";

    /** So many checkpoints the tasks gather what they give up at once. */
    public static final int GATHERING = 10;

    private final Path file;
    private final Clock clock;
    private final int gatheredEach;

    @GuardedBy("this")
    private final Map<Long, Seen> open = new HashMap<>();

    @GuardedBy("this")
    private LongConsumer begin = checkpoint -> {};

    @GuardedBy("this")
    private long confirmed = -1;

    @GuardedBy("this")
    private int gatherings;

    @GuardedBy("this")
    private boolean truncated;

    /**
     * @param file to append to
     * @param gatheredEach objects that a task gathers at each of {@link #GATHERING} checkpoints
     */
    FleetCheckpoints(Path file, Clock clock, int gatheredEach) {
        this.file = file;
        this.clock = clock;
        this.gatheredEach = gatheredEach;
    }

    /**
     * @param onAll begins the checkpoint of an id on all TaskManagers; returns at once
     */
    synchronized void onBegin(LongConsumer onAll) {
        begin = onAll;
    }

    void trigger(long checkpoint, long triggered) {
        LongConsumer onAll;
        synchronized (this) {
            if (open.containsKey(checkpoint)) {
                return;
            }
            // One at a time: those before it have failed.
            open.keySet().removeIf(older -> older < checkpoint);
            open.put(checkpoint, new Seen(triggered, clock.millis(), next(checkpoint)));
            onAll = begin;
        }
        onAll.accept(checkpoint);
    }

    @GuardedBy("this")
    private Directive next(long checkpoint) {
        if (truncated || !Files.exists(file.resolveSibling(GATHER))) {
            return new Directive(checkpoint, confirmed, Step.RUN, 0);
        }
        if (gatherings < GATHERING) {
            gatherings++;
            return new Directive(checkpoint, confirmed, Step.GATHER, gatheredEach);
        }
        if (!Files.exists(file.resolveSibling(TRUNCATE))) {
            return new Directive(checkpoint, confirmed, Step.GATHER, 0);
        }
        truncated = true;
        return new Directive(checkpoint, confirmed, Step.TRUNCATE, 0);
    }

    synchronized Directive directive(long checkpoint) {
        Seen seen = open.get(checkpoint);
        return seen == null ? new Directive(checkpoint, confirmed, Step.RUN, 0) : seen.directive;
    }

    synchronized void acknowledged(long checkpoint, int bytes) {
        Seen seen = open.get(checkpoint);
        if (seen != null) {
            seen.lastSent = clock.millis();
            seen.acknowledgements++;
            seen.bytes += bytes;
        }
    }

    /** So many objects came to the store for the checkpoint on one of the TaskManagers. */
    synchronized void named(long checkpoint, int objects) {
        Seen seen = open.get(checkpoint);
        if (seen != null) {
            seen.objects += objects;
        }
    }

    synchronized void confirm(long checkpoint) {
        Seen seen = open.remove(checkpoint);
        confirmed = Math.max(confirmed, checkpoint);
        if (seen != null) {
            append(seen.line(clock.millis()));
        }
    }

    private void append(String line) {
        try {
            Files.write(
                    file,
                    List.of(line),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("the fleet can't write down its checkpoints", e);
        }
    }

    /** What the tasks do at a checkpoint. */
    public enum Step {
        /** As ever. */
        RUN,
        /** Nothing is given up, and more comes in. */
        GATHER,
        /** All that was gathered is given up. */
        TRUNCATE
    }

    /** What a checkpoint is to the tasks. */
    static final class Directive {
        final long checkpoint;

        /** The last one that the JobManager has confirmed; less than 0 where there is none. */
        final long confirmed;

        final Step step;

        /** More objects that each task has to refer to. */
        final int gathered;

        Directive(long checkpoint, long confirmed, Step step, int gathered) {
            this.checkpoint = checkpoint;
            this.confirmed = confirmed;
            this.step = step;
            this.gathered = gathered;
        }
    }

    private static final class Seen {
        private final long triggered;
        private final long arrived;
        private final Directive directive;
        private long lastSent;
        private int acknowledgements;
        private long bytes;
        private int objects;

        Seen(long triggered, long arrived, Directive directive) {
            this.triggered = triggered;
            this.arrived = arrived;
            this.directive = directive;
        }

        String line(long confirmedAt) {
            return String.format(
                    Locale.ROOT,
                    "%d,%d,%d,%d,%d,%s,%d,%d,%d",
                    directive.checkpoint,
                    triggered,
                    arrived,
                    lastSent,
                    confirmedAt,
                    directive.step,
                    acknowledgements,
                    bytes,
                    objects);
        }
    }
}
