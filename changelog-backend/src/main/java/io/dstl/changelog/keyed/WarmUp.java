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

import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.ReplayWarmUp;
import io.dstl.fs.ProcessStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.clock.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares a TaskManager that has just started, and has no task yet, for its first restore: see
 * {@link ReplayWarmUp}.
 *
 * <p>It begins when the TaskManager has had time to start, as that may be what a job waits for; and
 * it ends when the first task comes. Uses no file system and no credentials, which are not set up
 * so early.
 *
 * <p>As no job is there, it goes by the configuration file of the cluster; {@code -D} properties
 * are not in it.
 *
 * <p>Threading: any thread; at work on one of its own.
 */
public final class WarmUp implements ProcessStart {
    /** A TaskManager has registered by then, or its machine has something else to do. */
    static final Duration DELAY = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /** Closed when the process has a task. */
    private static final CloseableRegistry OF_PROCESS = new CloseableRegistry();

    private final Supplier<Configuration> cluster;
    private final ScheduledExecutorService timer;
    private final Executor background;
    private final Clock clock;
    private final CloseableRegistry cancellation;

    /** Of this process. */
    public WarmUp() {
        this(
                GlobalConfiguration::loadConfiguration,
                SystemScheduler.shared(),
                work -> SystemScheduler.thread("dstl-warm-up", work).start(),
                SystemScheduler.clock(),
                OF_PROCESS);
    }

    /**
     * @param cluster reads its configuration
     * @param background for one piece of work, of seconds
     * @param cancellation closed when there is a task
     */
    WarmUp(
            Supplier<Configuration> cluster,
            ScheduledExecutorService timer,
            Executor background,
            Clock clock,
            CloseableRegistry cancellation) {
        this.cluster = requireNonNull(cluster);
        this.timer = requireNonNull(timer);
        this.background = requireNonNull(background);
        this.clock = requireNonNull(clock);
        this.cancellation = requireNonNull(cancellation);
    }

    /** There is a task: from now on the processors are its own. Any thread; waits for nothing. */
    static void end() {
        IOUtils.closeQuietly(OF_PROCESS);
    }

    @Override
    public void started() {
        timer.schedule(
                () -> background.execute(this::run), DELAY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** What it fails with a restore would meet as well, and tell; this one is not needed. */
    private void run() {
        if (cancellation.isClosed()) {
            return;
        }
        try {
            Configuration configuration = cluster.get();
            if (ReplayOptions.warmsUp(configuration)) {
                run(Path.of(ConfigurationUtils.parseTempDirectories(configuration)[0]));
            }
        } catch (CancelTaskException e) {
            LOG.debug("The first task has come before the warm-up was over", e);
        } catch (Exception | LinkageError e) {
            LOG.warn("The first restore is going to be slower, as the warm-up failed", e);
        }
    }

    private void run(Path temporary) throws Exception {
        long begin = clock.relativeTimeMillis();
        Files.createDirectories(temporary);
        // RocksDB's library, too, is not needed as a file any more once it is loaded.
        Path directory = Files.createTempDirectory(temporary, "dstl-warm-up-");
        try {
            long changes = new ReplayWarmUp(directory, cancellation, clock).run().changes();
            LOG.info(
                    "Warmed up for the first restore in {} ms, by a replay of {} changes",
                    clock.relativeTimeMillis() - begin,
                    changes);
        } finally {
            FileUtils.deleteDirectoryQuietly(directory.toFile());
        }
    }
}
