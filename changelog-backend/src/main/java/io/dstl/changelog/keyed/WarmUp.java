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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.ReplayWarmUp;
import io.dstl.fs.ProcessListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.flink.configuration.ClusterOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.clock.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares a TaskManager that has just started, and has no task yet, for its first restore: loads
 * the {@link PreloadedClasses}, then replays logs of no job ({@link ReplayWarmUp}).
 *
 * <p>Begins when the TaskManager has had time to start, as a job may wait for that, and ends when
 * the first job arrives. Uses no file system and no credentials, which are not set up so early.
 *
 * <p>Without a job, it reads the configuration file in the directory that the environment variable
 * {@code FLINK_CONF_DIR} names; {@code -D} properties are not in that file.
 *
 * <p>Threading: any thread; it works on a thread of its own.
 */
public final class WarmUp implements ProcessListener {
    /** By then a TaskManager has registered, or its machine is busy otherwise. */
    static final Duration DELAY = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    private final Supplier<Configuration> cluster;
    private final ScheduledExecutorService timer;
    private final Executor background;
    private final Clock clock;
    private final Replays replays;

    /** Closed when the first job arrives. */
    private final CloseableRegistry cancellation = new CloseableRegistry();

    /** Replays logs in a directory of its own. */
    interface Replays {
        List<BulkReplay.Tally> run(Path directory, CloseableRegistry cancellation) throws Exception;
    }

    /** The warm-up of this process. */
    public WarmUp() {
        this(
                GlobalConfiguration::loadConfiguration,
                SystemScheduler.shared(),
                work -> SystemScheduler.thread("dstl-warm-up", work).start(),
                SystemScheduler.clock(),
                (directory, cancellation) ->
                        new ReplayWarmUp(directory, cancellation, SystemScheduler.clock()).run());
    }

    /**
     * @param cluster reads the configuration of the cluster
     * @param background runs one piece of work, of seconds
     */
    WarmUp(
            Supplier<Configuration> cluster,
            ScheduledExecutorService timer,
            Executor background,
            Clock clock,
            Replays replays) {
        this.cluster = requireNonNull(cluster);
        this.timer = requireNonNull(timer);
        this.background = requireNonNull(background);
        this.clock = requireNonNull(clock);
        this.replays = requireNonNull(replays);
    }

    @Override
    public void started() {
        timer.schedule(this::begin, DELAY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** On the timer, whose errors would end the process. */
    private void begin() {
        try {
            background.execute(this::run);
        } catch (Throwable t) {
            failed(t);
        }
    }

    /** Stops the warm-up, as the job needs the processors. */
    @Override
    public void jobArrives() {
        IOUtils.closeQuietly(cancellation);
    }

    /** Only logs a failure, as nobody depends on the warm-up. */
    private void run() {
        if (cancellation.isClosed()) {
            return;
        }
        try {
            Configuration configuration = cluster.get();
            if (ReplayOptions.warmsUp(configuration)) {
                run(workingDirectory(configuration));
            } else {
                LOG.debug("No warm-up: the configuration file does not ask for one");
            }
        } catch (CancelTaskException e) {
            LOG.debug("The first job has come before the warm-up was over", e);
        } catch (Throwable t) {
            ExceptionUtils.rethrowIfFatalError(t);
            failed(t);
        }
    }

    private static void failed(Throwable cause) {
        LOG.warn("The first restore is going to be slower, as the warm-up failed", cause);
    }

    /**
     * Flink puts the TaskManager's own directory below this one, and RocksDB's library into that.
     */
    private static Path workingDirectory(Configuration configuration) {
        return Path.of(
                configuration
                        .getOptional(ClusterOptions.TASK_MANAGER_PROCESS_WORKING_DIR_BASE)
                        .or(
                                () ->
                                        configuration.getOptional(
                                                ClusterOptions.PROCESS_WORKING_DIR_BASE))
                        .orElseGet(
                                () -> ConfigurationUtils.parseTempDirectories(configuration)[0]));
    }

    private void run(Path parent) throws Exception {
        long begin = clock.relativeTimeMillis();
        if (!Files.isDirectory(parent)) {
            Files.createDirectories(parent);
        }
        // Deleted afterwards: even RocksDB's library is not needed as a file once it is loaded.
        Path directory = Files.createTempDirectory(parent, "dstl-warm-up-");
        try {
            int classes = PreloadedClasses.ofJar().load(cancellation::isClosed);
            long changes =
                    replays.run(directory, cancellation).stream()
                            .mapToLong(BulkReplay.Tally::changes)
                            .sum();
            LOG.info(
                    "Warmed up for the first restore in {} ms, with {} classes and a replay of {}"
                            + " changes",
                    clock.relativeTimeMillis() - begin,
                    classes,
                    changes);
        } finally {
            FileUtils.deleteDirectoryQuietly(directory.toFile());
        }
    }
}
