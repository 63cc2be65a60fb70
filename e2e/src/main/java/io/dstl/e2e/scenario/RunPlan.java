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
package io.dstl.e2e.scenario;

import io.dstl.harness.cluster.FlinkHome;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import io.dstl.harness.store.S3Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a run is to do; by default what the main run does. For one thread while it is being filled.
 */
public final class RunPlan {
    /** Flights per second: what two busy cores can take. */
    public static final int DEFAULT_RATE = 3_800;

    private static final Duration MEASURED = Duration.ofSeconds(30);

    private final Path project;
    private final Path directory;
    private final Path javaHome;
    private Path input;
    private S3Store.Kind store = S3Store.Kind.AUTO;
    private Optional<Path> distribution = Optional.empty();
    private int scale = 1;
    private Optional<FlightRate> rate = Optional.empty();
    private boolean isShort;
    private int parallelism = 2;
    private int rescaledParallelism = 3;
    private ClaimMode claimMode = ClaimMode.NO_CLAIM;
    private String commit = "unknown";

    /**
     * @param project the root of the source tree: the data, the sample configuration and the built
     *     jars
     * @param directory for everything this run writes
     * @param javaHome the Java that the cluster runs on
     */
    public RunPlan(Path project, Path directory, Path javaHome) {
        this.project = project;
        this.directory = directory;
        this.javaHome = javaHome;
        this.input = project.resolve("e2e/data/flights-nyc-2013.csv.gz");
    }

    /** The flights to read, gzipped. */
    public RunPlan input(Path file) {
        input = file;
        return this;
    }

    public RunPlan store(S3Store.Kind kind) {
        store = kind;
        return this;
    }

    /**
     * In place of the Flink that this is built with; one of the two at most.
     *
     * @param home a distribution
     * @param version what is assembled of it is there
     */
    public RunPlan flink(Optional<Path> home, Optional<String> version) {
        if (home.isPresent() && version.isPresent()) {
            throw new IllegalArgumentException(
                    "--flink-version is "
                            + version.get()
                            + ", and --flink-home is "
                            + home.get()
                            + ": give one of the two");
        }
        distribution = version.map(this::assembled).or(() -> home);
        return this;
    }

    /** How many times the input is read. */
    public RunPlan scale(int times) {
        if (times < 1) {
            throw new IllegalArgumentException("--scale is " + times + ": give 1 or more");
        }
        scale = times;
        return this;
    }

    /** Flights per second, over all subtasks, in all that the run does. */
    public RunPlan rate(int flightsPerSecond) {
        rate = Optional.of(FlightRate.of(flightsPerSecond));
        return this;
    }

    /** The same faults, and half of the checkpoints. */
    public RunPlan isShort(boolean wanted) {
        isShort = wanted;
        return this;
    }

    /**
     * @param rescaled after the restart from the retained checkpoint
     */
    public RunPlan parallelism(int first, int rescaled) {
        parallelism = slots("--parallelism", first);
        rescaledParallelism = slots("--rescale-to", rescaled);
        if (first == rescaled) {
            throw new IllegalArgumentException(
                    "--rescale-to is " + rescaled + ", as --parallelism: give another");
        }
        return this;
    }

    public RunPlan claimMode(ClaimMode mode) {
        claimMode = mode;
        return this;
    }

    /** The commit that this was built from, for the report. */
    public RunPlan commit(String id) {
        commit = id;
        return this;
    }

    public Path project() {
        return project;
    }

    public Path directory() {
        return directory;
    }

    public Path javaHome() {
        return javaHome;
    }

    public S3Store.Kind store() {
        return store;
    }

    /** A Flink distribution to use in place of the assembled home. */
    public Optional<Path> distribution() {
        return distribution;
    }

    public int scale() {
        return scale;
    }

    /** At which nothing is measured: that of the faults. */
    FlightRate rate() {
        return rate.orElse(FlightRate.of(isShort ? 2 * DEFAULT_RATE : DEFAULT_RATE));
    }

    /** Else the rate at which checkpoints are measured is to be found. */
    boolean isRateGiven() {
        return rate.isPresent();
    }

    /** How long checkpoints are measured. */
    Duration measured() {
        return isShort ? MEASURED.dividedBy(2) : MEASURED;
    }

    public int parallelism() {
        return parallelism;
    }

    public int rescaledParallelism() {
        return rescaledParallelism;
    }

    public ClaimMode claimMode() {
        return claimMode;
    }

    public String commit() {
        return commit;
    }

    public Path input() {
        return input;
    }

    public Path sampleConfiguration() {
        return project.resolve("conf/flink-conf.yaml");
    }

    /** The assembled Flink, or the distribution with our jar; laid out where it is not yet. */
    public FlinkHome flinkHome() throws IOException {
        FlinkHome assembled = FlinkHome.at(project.resolve("e2e/flink-home/target/flink-home"));
        if (distribution.isEmpty()) {
            return assembled;
        }
        Path overlay = Files.createDirectories(directory.resolve("flink-home"));
        return FlinkHome.over(distribution.get(), assembled, overlay);
    }

    /** One of that version, with our jar; laid out. */
    FlinkHome flinkHome(String version) throws IOException {
        return FlinkHome.over(
                assembled(version),
                FlinkHome.at(project.resolve("e2e/flink-home/target/flink-home")),
                Files.createDirectories(directory.resolve("flink-home-" + version)));
    }

    public Path jobJar() {
        return project.resolve("e2e/target/dstl-e2e-job.jar");
    }

    /** As build/built-module.sh does it. */
    private Path assembled(String version) {
        return project.resolve("e2e/flink-home/target/flink-" + version);
    }

    private static int slots(String option, int value) {
        if (value < 1 || value > FlightsCluster.SLOTS) {
            throw new IllegalArgumentException(
                    option
                            + " is "
                            + value
                            + ": the cluster has 1 to "
                            + FlightsCluster.SLOTS
                            + " slots to give");
        }
        return value;
    }
}
