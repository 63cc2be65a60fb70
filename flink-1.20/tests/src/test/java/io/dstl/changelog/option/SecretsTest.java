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
package io.dstl.changelog.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dstl.changelog.option.LeakyFileSystem.Action;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.util.ExceptionUtils;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs a job with marked secrets wherever secrets can be, and looks for the marks in all that comes
 * out of us: the log down to TRACE, the failure that ends the job, names and values of metrics.
 */
@Tag("own-jvm")
class SecretsTest {
    private static final String MARK = "MARKED";
    private static final int NEVER = 0;
    private static final int ALWAYS = 1_000_000;

    @TempDir Path directory;

    private final Configuration cluster = new Configuration();
    private final Configuration job = new Configuration();
    private final List<String> said = new ArrayList<>();
    private CapturedLog log;

    @BeforeEach
    void configure() {
        cluster.setString("state.changelog.enabled", "true");
        cluster.setString("state.changelog.storage", "filesystem");
        cluster.setString("restart-strategy.type", "fixed-delay");
        cluster.setString("restart-strategy.fixed-delay.attempts", "2");
        cluster.setString("restart-strategy.fixed-delay.delay", "1 ms");
        cluster.setString("state.changelog.dstl.dfs.upload.next-attempt-delay", "1 ms");
        cluster.setString("s3.access-key", "MARKED-S3-ACCESS");
        cluster.setString("s3.secret-key", "MARKED-S3-SECRET");
        cluster.setString("fs.s3a.access.key", "MARKED-S3A-ACCESS");
        cluster.setString("fs.s3a.secret.key", "MARKED-S3A-SECRET");
        cluster.setString("fs.azure.account.key.x.blob.core.windows.net", "MARKED-AZURE");
        cluster.setString(
                "state.changelog.dstl.dfs.base-path",
                "leaky://MARKEDUSER:MARKED%2FPASSWORD@host" + directory.resolve("log"));
        HeardMetrics.listen(cluster);
        job.setString("execution.checkpointing.interval", "20 ms");
        job.setString("execution.checkpointing.tolerable-failed-checkpoints", "1000");
        job.setString(
                "execution.checkpointing.dir",
                "leaky://MARKEDUSER:MARKED%2FPASSWORD@host" + directory.resolve("checkpoints"));
        job.setString("state.changelog.max-failures-allowed", "1000");
        job.setString("state.changelog.periodic-materialize.interval", "60 ms");
        log = new CapturedLog();
    }

    @AfterEach
    void release() {
        log.close();
    }

    @ParameterizedTest(name = "failing writes {0}, reads {1}, deletes {2}")
    @CsvSource({"0, 0, 0", "7, 0, 0", "0, 1, 0", "0, 0, 1000000", "4, 1, 1000000"})
    void stayInsideWhileTheJobRunsOn(int writes, int reads, int deletes) throws Exception {
        failWith(writes, reads, deletes);

        new SmallJob(cluster, job).run(12, true);

        assertThat(LeakyFileSystem.failuresToCome(Action.WRITE)).isZero();
        assertThat(LeakyFileSystem.failuresToCome(Action.READ)).isZero();
        assertNothingLeaked();
    }

    @Test
    void stayInsideWithLocalRecovery() throws Exception {
        failWith(7, NEVER, ALWAYS);
        cluster.setString("execution.state-recovery.from-local", "true");
        cluster.setString("io.tmp.dirs", directory.resolve("tmp").toString());

        new SmallJob(cluster, job).run(12, true);

        assertNothingLeaked();
    }

    @Test
    void stayInsideWhenTheJobFailsToRestore() {
        failWith(NEVER, ALWAYS, NEVER);

        assertFailsWithoutALeak(
                () -> new SmallJob(cluster, job).run(12, true), "READ of leaky://***@host");
    }

    @ParameterizedTest
    @CsvSource({
        "state.changelog.dstl.dfs.base-path, s3://MARKEDUSER:MARKEDPASSWORD@bucket/log",
        "state.changelog.dstl.dfs.base-path, s3://MARKEDUSER:MARKED/PASSWORD@bucket/log",
        "state.changelog.dstl.dfs.base-path, 's3://MARKEDUSER:MARKEDPASSWORD@bucket/ {'",
        "state.changelog.dstl.dfs.base-path, nowhere://MARKEDUSER:MARKEDPASSWORD@bucket",
        "state.changelog.dstl.dfs.upload.max-attempts, s3://MARKEDUSER:MARKEDPASSWORD@b",
        "state.changelog.dstl.dfs.upload.retry-policy, s3://MARKEDUSER:MARKEDPASSWORD@b",
        "state.changelog.dstl.dfs.upload.timeout, s3://MARKEDUSER:MARKEDPASSWORD@b",
    })
    void stayInsideWhenOptionsAreRefused(String key, String value) {
        failWith(NEVER, NEVER, NEVER);
        cluster.setString(key, value);

        assertFailsWithoutALeak(() -> new SmallJob(cluster, job).run(), key);
    }

    @Test
    void stayInsideWhenOnlyTheJobWantsAChangelog() {
        failWith(NEVER, NEVER, NEVER);
        String key = "state.changelog.dstl.dfs.upload.max-attempts";
        cluster.setString(key, "s3://MARKEDUSER:MARKEDPASSWORD@b");
        cluster.setString("state.changelog.enabled", "false");
        job.setString("state.changelog.enabled", "true");

        assertFailsWithoutALeak(
                () -> new SmallJob(cluster, job).run(),
                key + " is s3://***@b, which cannot work: set it to");
    }

    @Test
    void stayInsideWhenAnotherStorageIsNotConcerned() throws Exception {
        failWith(NEVER, NEVER, NEVER);
        cluster.setString("state.changelog.storage", "memory");
        cluster.setString("restart-strategy.type", "none");
        cluster.setString("dstl.dfs.upload.max-attempts", "s3://MARKEDUSER:MARKEDPASSWORD@b");

        new SmallJob(cluster, job).run();

        assertThat(log.warnings())
                .anyMatch(text -> text.contains("dstl.dfs.upload.max-attempts is s3://***@b: "));
        assertNothingLeaked();
    }

    @Test
    void stayInsideWhenOptionsAreWarnedOf() throws Exception {
        failWith(NEVER, NEVER, NEVER);
        cluster.setString("dstl.dfs.secret-key", "MARKED-TYPO");
        cluster.setString("dstl.dfs.base-path", "s3://MARKEDUSER:MARKEDOTHER@bucket/log");
        job.setString("dstl.dfs.base-path", "s3://MARKEDUSER:MARKEDTHIRD@bucket/log");

        new SmallJob(cluster, job).run();

        assertThat(log.warnings()).hasSizeGreaterThanOrEqualTo(3);
        assertNothingLeaked();
    }

    private void failWith(int writes, int reads, int deletes) {
        LeakyFileSystem.fail(
                writes,
                reads,
                deletes,
                String.join(
                        " ",
                        Arrays.asList(
                                "MARKED-S3-ACCESS",
                                "MARKED-S3-SECRET",
                                "MARKED-S3A-ACCESS",
                                "MARKED-S3A-SECRET",
                                "MARKED-AZURE",
                                "MARKEDUSER",
                                "MARKED/PASSWORD")));
    }

    private void assertFailsWithoutALeak(ThrowingCallable run, String reason) {
        Throwable failure = catchThrowable(run);

        assertThat(failure).isNotNull();
        said.add(ExceptionUtils.stringifyException(failure));
        assertThat(said.get(0)).contains(reason);
        assertNothingLeaked();
    }

    private void assertNothingLeaked() {
        said.addAll(log.texts());
        said.addAll(HeardMetrics.texts());
        assertThat(said).anyMatch(text -> text.endsWith(".numRestarts"));
        assertThat(said).filteredOn(text -> text.contains(MARK)).isEmpty();
    }
}
