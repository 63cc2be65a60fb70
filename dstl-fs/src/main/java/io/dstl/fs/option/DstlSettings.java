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

import java.util.Locale;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.fs.Path;

/** The options of one storage, read and checked once; immutable. */
public final class DstlSettings {

    private final Path basePath;
    private final boolean compressed;
    private final BatchSettings batch;
    private final UploadSettings upload;
    private final RetrySettings retry;
    private final DownloadSettings download;

    private DstlSettings(Path basePath, boolean compressed, Configuration config) {
        this.basePath = basePath;
        this.compressed = compressed;
        this.batch = BatchSettings.from(config);
        this.upload = UploadSettings.from(config);
        this.retry = RetrySettings.from(config);
        this.download = DownloadSettings.from(config);
        checkInFlight();
    }

    /**
     * @throws IllegalConfigurationException naming key, value and remedy, if a value cannot work
     */
    public static DstlSettings from(Configuration config) {
        return new DstlSettings(
                readBasePath(config), config.get(DstlOptions.COMPRESSION_ENABLED), config);
    }

    private static Path readBasePath(Configuration config) {
        String value = config.get(DstlOptions.BASE_PATH);
        if (value == null || value.trim().isEmpty()) {
            throw new IllegalConfigurationException(
                    String.format(
                            Locale.ROOT,
                            "%s is not set: the changelog has nowhere to go. Set it to a directory"
                                    + " that all TaskManagers and the JobManager reach, such as"
                                    + " s3://bucket/changelog.",
                            DstlOptions.BASE_PATH.key()));
        }
        try {
            return new Path(value.trim());
        } catch (IllegalArgumentException e) {
            throw OptionCheck.refuse(
                    DstlOptions.BASE_PATH, value, "set it to the URI of a directory");
        }
    }

    private void checkInFlight() {
        if (upload.maxInFlightBytes() < batch.sizeThresholdBytes()) {
            throw OptionCheck.refuse(
                    DstlOptions.IN_FLIGHT_DATA_LIMIT,
                    new MemorySize(upload.maxInFlightBytes()),
                    String.format(
                            Locale.ROOT,
                            "tasks would stop before a batch is full; set it to %s (%s) or more",
                            DstlOptions.PERSIST_SIZE_THRESHOLD.key(),
                            new MemorySize(batch.sizeThresholdBytes())));
        }
    }

    public Path basePath() {
        return basePath;
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

    public DownloadSettings download() {
        return download;
    }

    /** For the log line at creation, without credentials. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "base path %s, compression %s, pre-emptive persist at %s,"
                        + " batches up to %s or %d ms, at most %s in flight, %d upload threads,"
                        + " %d attempts per upload",
                withoutCredentials(basePath),
                compressed ? "snappy" : "off",
                new MemorySize(batch.preemptiveThresholdBytes()),
                new MemorySize(batch.sizeThresholdBytes()),
                batch.delay().toMillis(),
                new MemorySize(upload.maxInFlightBytes()),
                upload.threads(),
                retry.maxAttempts());
    }

    private static String withoutCredentials(Path path) {
        String credentials = path.toUri().getRawUserInfo();
        return credentials == null
                ? path.toString()
                : path.toString().replace(credentials + '@', "***@");
    }
}
