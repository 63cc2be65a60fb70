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
import java.util.Objects;
import java.util.Optional;

/** What a run is to do. Immutable; made by {@link Builder}, whose defaults are the main run's. */
public final class RunPlan {
    /** Flights per second: what two busy cores can take. */
    public static final int DEFAULT_RATE = 3_800;

    private static final Duration MEASURED = Duration.ofSeconds(40);

    private final Path project;
    private final Path directory;
    private final Path javaHome;
    private final Path input;
    private final S3Store.Kind store;
    private final Optional<Path> distribution;
    private final int scale;
    private final Optional<FlightRate> rate;
    private final boolean isShort;
    private final int parallelism;
    private final int rescaledParallelism;
    private final ClaimMode claimMode;
    private final String commit;

    private RunPlan(Builder builder) {
        project = Objects.requireNonNull(builder.project);
        directory = Objects.requireNonNull(builder.directory);
        javaHome = Objects.requireNonNull(builder.javaHome);
        input = builder.input;
        store = builder.store;
        distribution = distribution(builder);
        scale = atLeastOne("--scale", builder.scale);
        rate = builder.rate.map(FlightRate::of);
        isShort = builder.isShort;
        parallelism = slots("--parallelism", builder.parallelism);
        rescaledParallelism = slots("--rescale-to", builder.rescaledParallelism);
        claimMode = builder.claimMode;
        commit = builder.commit;
        if (parallelism == rescaledParallelism) {
            throw new IllegalArgumentException(
                    "--rescale-to is " + rescaledParallelism + ", as --parallelism: give another");
        }
    }

    /** The root of the source tree: the data, the sample configuration and the built jars. */
    public Path project() {
        return project;
    }

    /** For everything this run writes. */
    public Path directory() {
        return directory;
    }

    /** The Java that the cluster runs on. */
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

    /** How many times the input is read. */
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

    /** After the restart from the retained checkpoint. */
    public int rescaledParallelism() {
        return rescaledParallelism;
    }

    public ClaimMode claimMode() {
        return claimMode;
    }

    /** The commit that this was built from, for the report. */
    public String commit() {
        return commit;
    }

    /** The flights to read, gzipped. */
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
                assembled(project, version),
                FlinkHome.at(project.resolve("e2e/flink-home/target/flink-home")),
                Files.createDirectories(directory.resolve("flink-home-" + version)));
    }

    public Path jobJar() {
        return project.resolve("e2e/target/dstl-e2e-job.jar");
    }

    private static Optional<Path> distribution(Builder builder) {
        if (builder.distribution.isPresent() && builder.flinkVersion.isPresent()) {
            throw new IllegalArgumentException(
                    "--flink-version is "
                            + builder.flinkVersion.get()
                            + ", and --flink-home is "
                            + builder.distribution.get()
                            + ": give one of the two");
        }
        return builder.flinkVersion
                .map(version -> assembled(builder.project, version))
                .or(() -> builder.distribution);
    }

    /** As build/built-module.sh does it. */
    private static Path assembled(Path project, String version) {
        return project.resolve("e2e/flink-home/target/flink-" + version);
    }

    private static int atLeastOne(String option, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(option + " is " + value + ": give 1 or more");
        }
        return value;
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

    /** Collects what the command line says. For one thread. */
    public static final class Builder {
        private final Path project;
        private final Path directory;
        private final Path javaHome;
        private Path input;
        private S3Store.Kind store = S3Store.Kind.AUTO;
        private Optional<Path> distribution = Optional.empty();
        private Optional<String> flinkVersion = Optional.empty();
        private int scale = 1;
        private Optional<Integer> rate = Optional.empty();
        private boolean isShort;
        private int parallelism = 2;
        private int rescaledParallelism = 3;
        private ClaimMode claimMode = ClaimMode.NO_CLAIM;
        private String commit = "unknown";

        public Builder(Path project, Path directory, Path javaHome) {
            this.project = project;
            this.directory = directory;
            this.javaHome = javaHome;
            this.input = project.resolve("e2e/data/flights-nyc-2013.csv.gz");
        }

        public Builder input(Path file) {
            input = file;
            return this;
        }

        public Builder store(S3Store.Kind kind) {
            store = kind;
            return this;
        }

        public Builder distribution(Optional<Path> home) {
            distribution = home;
            return this;
        }

        /** In place of the one that this is built with; what is assembled of it is there. */
        public Builder flinkVersion(Optional<String> version) {
            flinkVersion = version;
            return this;
        }

        public Builder scale(int times) {
            scale = times;
            return this;
        }

        /** Flights per second, over all subtasks, in all that the run does. */
        public Builder rate(int flightsPerSecond) {
            rate = Optional.of(flightsPerSecond);
            return this;
        }

        /** The same faults, and half of the checkpoints. */
        public Builder isShort(boolean wanted) {
            isShort = wanted;
            return this;
        }

        public Builder parallelism(int first, int rescaled) {
            parallelism = first;
            rescaledParallelism = rescaled;
            return this;
        }

        public Builder claimMode(ClaimMode mode) {
            claimMode = mode;
            return this;
        }

        public Builder commit(String id) {
            commit = id;
            return this;
        }

        public RunPlan build() {
            return new RunPlan(this);
        }
    }
}
