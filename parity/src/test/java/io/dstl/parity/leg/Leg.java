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
package io.dstl.parity.leg;

import io.dstl.parity.job.SchemaJob;
import io.dstl.parity.model.Cast;
import io.dstl.parity.state.SchemaVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.execution.RestoreMode;
import org.apache.flink.core.execution.SavepointFormatType;

/**
 * A stretch of a job's life in one process: where it starts from, how it is configured, how far it
 * goes and what it leaves behind.
 *
 * <p>Built by the test, sent to the process as JSON.
 */
public final class Leg {

    String directory;
    String restorePath;
    RestoreMode restoreMode = RestoreMode.CLAIM;
    int firstRound;
    int roundsInFlight;
    int rounds = 4;
    int parallelism = 2;
    Cast cast = Cast.EVERY_STATE;
    String schema;
    int addedSince = SchemaJob.NEVER;
    boolean allowsUnusedState;
    boolean reads;
    boolean materialized;
    int failures;
    int concurrentCheckpoints;
    boolean finishesEvenLanes;
    SavepointFormatType savepointOnTheWay;
    List<String> deletedOnTheWay = new ArrayList<>();
    Ending ending = Ending.CHECKPOINT;
    Map<String, String> options = new TreeMap<>();

    /** For JSON. */
    Leg() {}

    /** A job that starts from nothing. */
    static Leg fresh(String directory) {
        Leg leg = new Leg();
        leg.directory = directory;
        return leg;
    }

    /** Restores from where another leg ended. */
    public Leg from(LegResult before) {
        restorePath = before.path();
        firstRound = before.endRound();
        roundsInFlight = before.endRound() - before.auditedRound();
        cast = before.cast;
        return this;
    }

    public Leg in(RestoreMode mode) {
        restoreMode = mode;
        return this;
    }

    public Leg rounds(int number) {
        rounds = number;
        return this;
    }

    public Leg parallelism(int subtasks) {
        parallelism = subtasks;
        return this;
    }

    public Leg with(String key, String value) {
        options.put(key, value);
        return this;
    }

    public Leg backend(String name) {
        return with("state.backend.type", name);
    }

    public Leg changelog(boolean on) {
        return with("state.backend.changelog.enabled", String.valueOf(on));
    }

    public Leg compressed(boolean on) {
        return with("dstl.dfs.compression.enabled", String.valueOf(on));
    }

    /** Goes on until the checkpoint it ends with has a materialization of this leg. */
    public Leg materialized() {
        materialized = true;
        return with("state.backend.changelog.periodic-materialize.enabled", "true");
    }

    public Leg materialized(boolean on) {
        return on ? materialized() : this;
    }

    /** Timers are on the heap while state is in RocksDB. */
    public Leg heapTimers() {
        return with("state.backend.rocksdb.timer-service.factory", "HEAP");
    }

    /** The job is restarted from a checkpoint of this leg. */
    public Leg failing() {
        failures = 1;
        return this;
    }

    /** The checkpoints are under way at one time. */
    public Leg concurrentCheckpoints(int number) {
        concurrentCheckpoints = number;
        return this;
    }

    /** The source of the even lanes ends, which wants a parallelism of two. */
    public Leg finishingEvenLanes() {
        finishesEvenLanes = true;
        return this;
    }

    public Leg savepointOnTheWay(SavepointFormatType format) {
        savepointOnTheWay = format;
        return this;
    }

    /** The job whose states have the types of this schema. */
    public Leg schema(SchemaVersion version) {
        cast = Cast.SCHEMA;
        schema = version.name();
        return this;
    }

    /** As {@link #schema}; this leg or an earlier one was the first with the next version. */
    public Leg nextSchema(int since) {
        addedSince = since;
        return schema(SchemaVersion.NEXT);
    }

    /** The job whose map states have null values. */
    public Leg nulls(Cast which) {
        cast = which;
        return this;
    }

    /** No job: what is to be restored is read by the State Processor API. */
    Leg reading() {
        reads = true;
        return this;
    }

    public Leg allowingUnusedState() {
        allowsUnusedState = true;
        return this;
    }

    boolean disturbed() {
        return failures + concurrentCheckpoints + deletedOnTheWay.size() > 0
                || finishesEvenLanes
                || savepointOnTheWay != null;
    }

    /** These directories are deleted after the first checkpoint of this leg. */
    public Leg deleting(List<Path> directories) {
        directories.forEach(each -> deletedOnTheWay.add(each.toString()));
        return this;
    }

    public Leg endingWith(Ending how) {
        ending = how;
        return this;
    }

    /** What a leg leaves behind to restore from. */
    public enum Ending {
        /** A retained checkpoint; the job is then cancelled. */
        CHECKPOINT,
        /** As before, while records of the last round are under way. */
        UNALIGNED_CHECKPOINT,
        CANONICAL_SAVEPOINT,
        NATIVE_SAVEPOINT,
        /** The job is stopped with a canonical savepoint. */
        STOP,
        /** As before, with all event time passed. */
        DRAIN
    }
}
