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
package io.dstl.fs.option;

import io.dstl.store.RetrySettings;
import io.dstl.store.StoreProvider.ClientChoice;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;

/** The options of one storage, read and checked once; immutable. */
public final class DstlSettings {

    private final BasePath basePath;
    private final boolean compacted;
    private final boolean compressed;
    private final BatchSettings batch;
    private final UploadSettings upload;
    private final RetrySettings retry;
    private final List<String> warnings;

    private DstlSettings(Configuration config, OptionReport report) {
        OptionCheck check = new OptionCheck(config, report);
        this.basePath = BasePath.from(check);
        this.compacted = check.read(DstlOptions.COMPACTION_ENABLED, "true or false");
        this.compressed = check.read(DstlOptions.COMPRESSION_ENABLED, "true or false");
        this.batch = BatchSettings.from(check);
        this.upload = UploadSettings.from(check);
        // Checks only; the code that needs the choice reads it itself.
        s3Client(check);
        this.retry = RetryOptions.from(check);
        // Checks only, too.
        DownloadSettings.from(config, check);
        checkInFlight(check);
        new SilentKeys(config, report)
                .check(
                        DstlOptions.ALL,
                        Arrays.asList(DstlOptions.PREFIX, DstlOptions.DEPRECATED_PREFIX));
        report.throwIfRefused();
        this.warnings = report.warnings();
    }

    /**
     * @throws IllegalConfigurationException naming key, value and remedy of all invalid options
     */
    public static DstlSettings from(Configuration config) {
        return new DstlSettings(config, new OptionReport());
    }

    /**
     * The client for S3.
     *
     * @throws IllegalConfigurationException if there is no such choice
     */
    public static ClientChoice s3Client(Configuration config) {
        OptionReport report = new OptionReport();
        ClientChoice choice = s3Client(new OptionCheck(config, report));
        report.throwIfRefused();
        return choice;
    }

    /** Chooses Flink's file systems for each store of {@code DstlStorageFactory.providers}. */
    public static void chooseFileSystems(Configuration config) {
        config.set(DstlOptions.S3_CLIENT, ClientChoice.FILESYSTEM);
    }

    private static ClientChoice s3Client(OptionCheck check) {
        return check.read(DstlOptions.S3_CLIENT, "auto, direct or filesystem");
    }

    private void checkInFlight(OptionCheck check) {
        if (upload.maxInFlightBytes() < batch.sizeThresholdBytes()) {
            check.refuse(
                    DstlOptions.IN_FLIGHT_DATA_LIMIT,
                    new MemorySize(upload.maxInFlightBytes()),
                    String.format(
                            Locale.ROOT,
                            "tasks would stop before a batch is full; set it to %s (%s) or more",
                            check.key(DstlOptions.PERSIST_SIZE_THRESHOLD),
                            new MemorySize(batch.sizeThresholdBytes())));
        }
        batch.warnIfBeyond(upload, check);
    }

    public BasePath basePath() {
        return basePath;
    }

    /** Whether void changes are left out. */
    public boolean compacted() {
        return compacted;
    }

    public boolean compressed() {
        return compressed;
    }

    public BatchSettings batch() {
        return batch;
    }

    public UploadSettings upload() {
        return upload;
    }

    public RetrySettings retry() {
        return retry;
    }

    /** Options that work, but not as they seem to: each with key, value and remedy. */
    public List<String> warnings() {
        return warnings;
    }

    /** For the log line at the start, without credentials. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "base path %s, compaction %s, compression %s, pre-emptive persist at %s,"
                        + " batches up to %s or %d ms, at most %s in flight, and %s before task"
                        + " threads wait, %d upload threads,"
                        + " %d attempts per upload",
                basePath,
                compacted ? "on" : "off",
                compressed ? "snappy" : "off",
                new MemorySize(batch.preemptiveThresholdBytes()),
                new MemorySize(batch.sizeThresholdBytes()),
                batch.delay().toMillis(),
                new MemorySize(upload.maxInFlightBytes()),
                new MemorySize(upload.hardMaxInFlightBytes()),
                upload.threads(),
                retry.maxAttempts());
    }
}
