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

import io.dstl.store.StoreProvider.ClientChoice;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The keys of the storage: those of Flink's own, with the same names, deprecated names and
 * defaults, so that a configuration can be taken over unchanged.
 */
public final class DstlOptions {

    /** Prefix of every key of the storage. */
    public static final String PREFIX = "state.changelog.dstl.dfs.";

    public static final String DEPRECATED_PREFIX = "dstl.dfs.";

    public static final ConfigOption<String> BASE_PATH =
            ConfigOptions.key(PREFIX + "base-path")
                    .stringType()
                    .noDefaultValue()
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "base-path")
                    .withDescription(
                            "Directory (a URI of any file system Flink knows) under which segments"
                                    + " are stored, as <base-path>/<job id>/dstl/<uuid>. No"
                                    + " default. Each checkpoint waits for one write to it, so its"
                                    + " write latency is the floor of the checkpoint duration.");

    public static final ConfigOption<Boolean> COMPACTION_ENABLED =
            ConfigOptions.key(PREFIX + "compaction.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether changes that a later one made void before they were stored are"
                                    + " left out: all but the last of one value, say, between two"
                                    + " checkpoints. Default: true. Costs CPU on the upload threads"
                                    + " (0.1 to 0.5 µs per change; a tenth of it where a sample of"
                                    + " the changes says that it does not pay) and, while a change"
                                    + " set is encoded, 16 to 32 bytes of memory per change of its"
                                    + " largest key group; saves bytes sent, stored and replayed.");

    public static final ConfigOption<Boolean> COMPRESSION_ENABLED =
            ConfigOptions.key(PREFIX + "compression.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "compression.enabled")
                    .withDescription(
                            "Whether segments are compressed with Snappy. Default: false. Costs"
                                    + " CPU on the upload threads, and twice the encoding where an"
                                    + " upload is attempted twice; saves bytes sent and"
                                    + " stored.");

    public static final ConfigOption<MemorySize> PREEMPTIVE_PERSIST_THRESHOLD =
            ConfigOptions.key(PREFIX + "preemptive-persist-threshold")
                    .memoryType()
                    .defaultValue(MemorySize.parse("5MB"))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "preemptive-persist-threshold")
                    .withDescription(
                            "Bytes of changes of one backend that are stored ahead of the next"
                                    + " checkpoint. Default: 5 MB. Lower: less left to upload when"
                                    + " the checkpoint comes, but more requests, and more bytes"
                                    + " stored for nothing when a materialization comes first."
                                    + " Higher: more heap per backend.");

    public static final ConfigOption<Duration> PERSIST_DELAY =
            ConfigOptions.key(PREFIX + "batch.persist-delay")
                    .durationType()
                    .defaultValue(Duration.ofMillis(10))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "batch.persist-delay")
                    .withDescription(
                            "How long the changes of one task wait for those of the other tasks of"
                                    + " the job on this TaskManager, to share one file. Default:"
                                    + " 10 ms; 0 stores each at once. Adds up to this time to a"
                                    + " checkpoint, unless all tasks are in earlier; saves one"
                                    + " request per task that shares.");

    public static final ConfigOption<MemorySize> PERSIST_SIZE_THRESHOLD =
            ConfigOptions.key(PREFIX + "batch.persist-size-threshold")
                    .memoryType()
                    .defaultValue(MemorySize.parse("10MB"))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "batch.persist-size-threshold")
                    .withDescription(
                            "Bytes of waiting changes of all tasks of the job on this TaskManager"
                                    + " that are stored without waiting any longer. Default:"
                                    + " 10 MB; 0 stores each at once. Higher: fewer requests and"
                                    + " larger files, each slower to store.");

    public static final ConfigOption<MemorySize> UPLOAD_BUFFER_SIZE =
            ConfigOptions.key(PREFIX + "upload.buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.parse("1MB"))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "upload.buffer-size")
                    .withDescription(
                            "Bytes gathered in memory before they are handed to the file system's"
                                    + " stream. Default: 1 MB. Costs this much heap per running"
                                    + " upload; smaller ones make more and smaller writes.");

    public static final ConfigOption<Integer> NUM_UPLOAD_THREADS =
            ConfigOptions.key(PREFIX + "upload.num-threads")
                    .intType()
                    .defaultValue(5)
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "upload.num-threads")
                    .withDescription(
                            "Uploads that run at the same time, per job and TaskManager; with the"
                                    + " direct S3 client, those that encode, and those that are"
                                    + " under way first after one has failed. Default: 5. Attempts"
                                    + " that outlive their timeout keep their thread, so too few"
                                    + " make checkpoints wait behind a slow store.");

    public static final ConfigOption<Integer> NUM_DISCARD_THREADS =
            ConfigOptions.key(PREFIX + "discard.num-threads")
                    .intType()
                    .defaultValue(1)
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "discard.num-threads")
                    .withDescription(
                            "Threads that delete segments no longer needed, per job and"
                                    + " TaskManager. Default: 1. More free space sooner after a"
                                    + " materialization, at more requests at once.");

    public static final ConfigOption<MemorySize> IN_FLIGHT_DATA_LIMIT =
            ConfigOptions.key(PREFIX + "upload.max-in-flight")
                    .memoryType()
                    .defaultValue(MemorySize.parse("100MB"))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "upload.max-in-flight")
                    .withDescription(
                            "Heap held by changes handed to upload and not yet stored, per job and"
                                    + " TaskManager, above which its tasks take no further records"
                                    + " until some are stored. Default: 100 MB. Timers and unaligned"
                                    + " barriers go on above it, up to upload.hard-max-in-flight.");

    public static final ConfigOption<MemorySize> HARD_IN_FLIGHT_DATA_LIMIT =
            ConfigOptions.key(PREFIX + "upload.hard-max-in-flight")
                    .memoryType()
                    .noDefaultValue()
                    .withDescription(
                            "The same heap, above which a task thread that goes on to write, in"
                                    + " timers, say, waits until some is stored. Default: twice"
                                    + " upload.max-in-flight. This much heap may be held during an"
                                    + " outage of the store. Lower: less heap, but barriers wait"
                                    + " behind timers that the soft limit would have let through.");

    public static final ConfigOption<ClientChoice> S3_CLIENT =
            ConfigOptions.key(PREFIX + "s3.client")
                    .enumType(ClientChoice.class)
                    .defaultValue(ClientChoice.AUTO)
                    .withDescription(
                            "Which client stores and reads segments under s3://, s3a:// and s3p://,"
                                    + " and stores the files of materializations there."
                                    + " auto (default): a direct one, configured from the keys of"
                                    + " Flink's S3 file systems, which needs one request per"
                                    + " segment; Flink's file system where a key asks for what the"
                                    + " direct one does not do, with a log line that names the key."
                                    + " direct: refuses such a key. filesystem: always Flink's, at"
                                    + " several requests per segment, one after the other.");

    public static final ConfigOption<String> RETRY_POLICY =
            ConfigOptions.key(PREFIX + "upload.retry-policy")
                    .stringType()
                    .defaultValue("fixed")
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "upload.retry-policy")
                    .withDescription(
                            "fixed (default): an upload is attempted up to upload.max-attempts"
                                    + " times; none: once, and without a timeout. Without retries a"
                                    + " single slow or failed request delays a checkpoint by"
                                    + " upload.next-attempt-delay and more.");

    public static final ConfigOption<Duration> UPLOAD_TIMEOUT =
            ConfigOptions.key(PREFIX + "upload.timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(1))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "upload.timeout")
                    .withDescription(
                            "Time without a byte taken from an attempt after which the next one is"
                                    + " started beside it; the first to succeed counts. Default:"
                                    + " 1 s, with retry policy fixed only. An attempt that gets"
                                    + " somewhere is waited for, however long it takes. While"
                                    + " uploads run out of all attempts the time doubles, up to"
                                    + " eight times this, and up to 32 times while each is stored,"
                                    + " but later than that. Lower: shorter tails, but more requests"
                                    + " paid for and thrown away.");

    public static final ConfigOption<Integer> RETRY_MAX_ATTEMPTS =
            ConfigOptions.key(PREFIX + "upload.max-attempts")
                    .intType()
                    .defaultValue(3)
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "upload.max-attempts")
                    .withDescription(
                            "Attempts per upload, the first included. Default: 3, with retry policy"
                                    + " fixed only. When all have failed the changes are kept and"
                                    + " sent again, and the checkpoint waits for them until its"
                                    + " own timeout.");

    public static final ConfigOption<Duration> RETRY_DELAY_AFTER_FAILURE =
            ConfigOptions.key(PREFIX + "upload.next-attempt-delay")
                    .durationType()
                    .defaultValue(Duration.ofMillis(500))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "upload.next-attempt-delay")
                    .withDescription(
                            "Pause before the next attempt where one failed with an error other"
                                    + " than a timeout: up to a half more or less by chance, and"
                                    + " doubled with each further error up to 10 s. Default:"
                                    + " 500 ms. Lower: faster recovery from a passing error, more"
                                    + " load on a store that is down.");

    public static final ConfigOption<Double> HEDGE_MAX_SHARE =
            ConfigOptions.key(PREFIX + "upload.hedge.max-share")
                    .doubleType()
                    .defaultValue(0.02)
                    .withDescription(
                            "Share of uploads that may get a second request when the first is"
                                    + " late; the first success counts. Default: 0.02; 0: off, and"
                                    + " slow requests set the tail of checkpoints, up to"
                                    + " upload.timeout. Late: above the live p99 of its size, or"
                                    + " twice the median if that is earlier (up to four times"
                                    + " where more are late than the share pays for). Costs this"
                                    + " share more requests; up to 2.5 times it at one upload a"
                                    + " second or fewer, and two at the start. With retry policy"
                                    + " fixed only.");

    public static final ConfigOption<Integer> HEDGE_MAX_IN_FLIGHT =
            ConfigOptions.key(PREFIX + "upload.hedge.max-in-flight")
                    .intType()
                    .defaultValue(5)
                    .withDescription(
                            "Such requests at the same time, per job and TaskManager, and those"
                                    + " that quiet times save up. Default: 5. Each holds a"
                                    + " connection, or on other file systems than S3 an upload"
                                    + " thread, until it ends.");

    public static final ConfigOption<Duration> CACHE_IDLE_TIMEOUT =
            ConfigOptions.key(PREFIX + "download.local-cache.idle-timeout-ms")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDeprecatedKeys(DEPRECATED_PREFIX + "download.local-cache.idle-timeout-ms")
                    .withDescription(
                            "How long a segment downloaded for a restore stays on the local disk of"
                                    + " the TaskManager after its last use. Default: 10 min; 0"
                                    + " reads from the store without a local copy. Costs disk in"
                                    + " io.tmp.dirs; saves one download per task that shares the"
                                    + " file.");

    public static final ConfigOption<Integer> NUM_DOWNLOAD_THREADS =
            ConfigOptions.key(PREFIX + "download.num-threads")
                    .intType()
                    .defaultValue(5)
                    .withDescription(
                            "Segments that are downloaded at the same time ahead of the tasks that"
                                    + " replay them, per job and TaskManager. Default: 5. More: a"
                                    + " quicker restore from a store with slow requests, at more"
                                    + " bandwidth taken from the download of the other state. No"
                                    + " effect where the local cache is off.");

    public static final ConfigOption<MemorySize> MAX_DOWNLOAD_AHEAD =
            ConfigOptions.key(PREFIX + "download.max-ahead")
                    .memoryType()
                    .defaultValue(MemorySize.parse("100MB"))
                    .withDescription(
                            "Bytes of segments on the local disk, per job and TaskManager, that are"
                                    + " downloaded before a task has come to them in its replay."
                                    + " Default: 100 MB; one segment is fetched ahead whatever its"
                                    + " size. Lower: less disk taken by tasks that replay slowly,"
                                    + " but more waiting for downloads. No effect where the local"
                                    + " cache is off.");

    /** Every option of this class, in the order in which a change meets them. */
    public static final List<ConfigOption<?>> ALL =
            List.of(
                    BASE_PATH,
                    COMPACTION_ENABLED,
                    COMPRESSION_ENABLED,
                    PREEMPTIVE_PERSIST_THRESHOLD,
                    PERSIST_DELAY,
                    PERSIST_SIZE_THRESHOLD,
                    UPLOAD_BUFFER_SIZE,
                    NUM_UPLOAD_THREADS,
                    NUM_DISCARD_THREADS,
                    IN_FLIGHT_DATA_LIMIT,
                    HARD_IN_FLIGHT_DATA_LIMIT,
                    S3_CLIENT,
                    RETRY_POLICY,
                    UPLOAD_TIMEOUT,
                    RETRY_MAX_ATTEMPTS,
                    RETRY_DELAY_AFTER_FAILURE,
                    HEDGE_MAX_SHARE,
                    HEDGE_MAX_IN_FLIGHT,
                    CACHE_IDLE_TIMEOUT,
                    NUM_DOWNLOAD_THREADS,
                    MAX_DOWNLOAD_AHEAD);

    private DstlOptions() {}
}
