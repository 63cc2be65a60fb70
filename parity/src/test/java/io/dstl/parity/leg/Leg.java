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
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
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
    boolean reads;
    boolean materialized;
    int failures;
    int concurrentCheckpoints;
    boolean finishesEvenLanes;
    boolean taskManagersChange;
    SavepointFormatType savepointOnTheWay;
    List<String> deletedOnTheWay = new ArrayList<>();
    Ending ending = Ending.CHECKPOINT;
    Map<String, String> options = new TreeMap<>();

    /** Of the process; the others are for what runs in it. */
    transient Flink flink = Flink.FLINK_1_20;

    private transient Route route;

    /** For JSON. */
    Leg() {}

    /** A job that starts from nothing. */
    Leg(Route route, Path directory, Map<String, String> options) {
        this.route = route;
        this.directory = directory.toString();
        this.options.putAll(options);
    }

    /** Restores from where another leg ended. */
    Leg from(LegResult before) {
        restorePath = before.path;
        firstRound = before.endRound;
        roundsInFlight = before.endRound - before.auditedRound;
        cast = before.cast;
        return this;
    }

    public Leg on(Flink version) {
        flink = version;
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

    /**
     * One of two TaskManagers is lost on the way, and another one is added: the adaptive scheduler
     * runs the job on half of its parallelism in between.
     */
    public Leg changingTaskManagers() {
        taskManagersChange = true;
        return with("jobmanager.scheduler", "adaptive")
                // Of Flink 1.20, then of 2: it takes what there is, at once.
                .with("jobmanager.adaptive-scheduler.resource-stabilization-timeout", "0 ms")
                .with("jobmanager.adaptive-scheduler.scaling-interval.min", "0 ms")
                .with(
                        "jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout",
                        "0 ms")
                .with("jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling", "0 ms")
                .with(
                        "jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout",
                        "0 ms")
                .with("jobmanager.adaptive-scheduler.rescale-trigger.max-delay", "0 ms")
                .with("restart-strategy.type", "fixed-delay")
                .with("restart-strategy.fixed-delay.attempts", "1");
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

    /** The job without the states that Kryo writes. */
    public Leg withoutKryo() {
        cast = Cast.EVERY_STATE_WITHOUT_KRYO;
        return this;
    }

    /** The job whose map states have null values. */
    public Leg nulls(Cast which) {
        cast = which;
        return this;
    }

    /** The job that uses its states asynchronously, on a Flink 2. */
    public Leg asynchronous() {
        cast = Cast.ASYNCHRONOUS;
        return this;
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

    /** Runs the leg, which must succeed, with the content that the model says. */
    public LegResult run(Flavour flavour) throws IOException {
        return route.run(flavour, this);
    }

    /** Runs the leg, which must fail, and returns why. */
    public String fail(Flavour flavour) throws IOException {
        return route.fail(flavour, this);
    }

    /** What the State Processor API finds of the states in what the leg restores from. */
    public Map<String, String> read(Flavour flavour) throws IOException {
        reads = true;
        return route.succeed(flavour, this).content;
    }

    /** As {@link #read}, which must fail; returns why. */
    public String failToRead(Flavour flavour) throws IOException {
        reads = true;
        return fail(flavour);
    }

    boolean disturbed() {
        return failures + concurrentCheckpoints + deletedOnTheWay.size() > 0
                || finishesEvenLanes
                || taskManagersChange
                || savepointOnTheWay != null;
    }

    int taskManagers() {
        return taskManagersChange ? 2 : 1;
    }

    /** Of each TaskManager. */
    int slots() {
        return parallelism / taskManagers();
    }

    /** What is the same for all legs, then its own options. */
    Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.setString("state.backend.type", "rocksdb");
        configuration.setString("state.backend.changelog.enabled", "true");
        configuration.setString("state.backend.changelog.storage", "filesystem");
        configuration.setString("state.backend.changelog.periodic-materialize.enabled", "false");
        configuration.setString("state.backend.changelog.periodic-materialize.interval", "100 ms");
        configuration.setString("dstl.dfs.base-path", uri("changelog"));
        configuration.setString("dstl.dfs.batch.persist-delay", "0 ms");
        configuration.setString("execution.checkpointing.dir", uri("checkpoints"));
        configuration.setString("execution.checkpointing.incremental", "true");
        // Checkpoints are taken when the leg asks for them.
        configuration.setString("execution.checkpointing.interval", "1 d");
        configuration.setString(
                "execution.checkpointing.externalized-checkpoint-retention",
                "RETAIN_ON_CANCELLATION");
        configuration.setString("execution.buffer-timeout.interval", "1 ms");
        configuration.setString("parallelism.default", String.valueOf(parallelism));
        configuration.setString("pipeline.max-parallelism", "16");
        configuration.setString("io.tmp.dirs", Path.of(directory, "tmp").toString());
        configuration.setString("taskmanager.memory.managed.size", "64 mb");
        configuration.setString("taskmanager.memory.network.min", "16 mb");
        configuration.setString("taskmanager.memory.network.max", "16 mb");
        configuration.setString("restart-strategy.type", failures > 0 ? "fixed-delay" : "none");
        configuration.setString("restart-strategy.fixed-delay.attempts", String.valueOf(failures));
        configuration.setString("restart-strategy.fixed-delay.delay", "1 ms");
        configuration.setString("rest.port", "0");
        // No leg may restart but where it plans to, however slow the machine is.
        configuration.setString("pekko.ask.timeout", "10 min");
        options.forEach(configuration::setString);
        return configuration;
    }

    private String uri(String name) {
        return Path.of(directory, name).toUri().toString();
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
