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
package io.dstl.changelog.docs;

import io.dstl.changelog.option.JobOptions;
import io.dstl.fs.option.DstlOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.FallbackKey;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.description.HtmlFormatter;

/** The reference of all options, made from the classes that define them. */
final class OptionTable {
    private static final String CLUSTER = "cluster";
    private static final String JOB = "job";
    private static final String BOTH = "job, else cluster";

    /** What Flink's keys do here; the storage's own say it in their class. */
    private static final Map<String, String> MEANINGS = new LinkedHashMap<>();

    /** What no option class says: where it is read, its range, what to see beside it. */
    private static final Map<String, String[]> NOTES = new LinkedHashMap<>();

    static {
        flink(
                "enabled",
                "Whether each change of keyed state goes to a log as well, so that a checkpoint"
                        + " waits for the end of the log only.",
                BOTH,
                "true, false",
                "Flink turns it off for a batch job, unless"
                        + " `execution.batch-state-backend.enabled` is false.");
        flink(
                "storage",
                "Where the log is kept.",
                CLUSTER,
                "`filesystem`; `memory` for tests",
                "`filesystem` needs `base-path`.");
        flink(
                "periodic-materialize.enabled",
                "Whether the backend is snapshotted from time to time, so that the log before it"
                        + " can go.",
                JOB,
                "true, false",
                "Without it the log grows until the job ends, and all of it is replayed:"
                        + " materialization by size is off as well. Checkpoints expire once a task"
                        + " lists more of it than fits into `pekko.framesize`.");
        flink(
                "periodic-materialize.interval",
                "From the end of one such snapshot to the begin of the next; the first comes at a"
                        + " random moment within it. Shorter: less log to keep and to replay,"
                        + " more uploads.",
                JOB,
                "more than 0 (0 or less: never materialized; warned of)",
                "At least `execution.checkpointing.interval`: a materialization waits for a"
                        + " completed checkpoint with the one before.");
        own(
                "log-size.factor",
                "0 or more",
                "No effect where nothing is materialized by period. For the pause between two see"
                        + " [materialization](operations.md#materialization).");
        own(
                "log-size.min",
                "0 or more",
                "No effect where `log-size.factor` is 0 and `recovery-target` is off.");
        own(
                "recovery-target",
                "0 or more",
                "As for `log-size.factor`. See [sizing](operations.md#sizing).");
        flink(
                "max-failures-allowed",
                "So many materializations of a task may fail in a row; one more fails the job. Those"
                        + " that the store throttles do not count, nor those after the first while"
                        + " no checkpoint completes.",
                JOB,
                "0 or more",
                "");
        note(
                "state.changelog.replay.bulk.enabled",
                BOTH,
                "true, false",
                "With `hashmap` it has no effect.");
        note(
                "state.changelog.replay.bulk.max-memory",
                BOTH,
                "1 mb to 1 gb for each thread (less or more counts as that)",
                "Of each task, so times the slots of a TaskManager. No effect where"
                        + " `replay.bulk.enabled` is false.");
        note(
                "state.changelog.replay.background.enabled",
                BOTH,
                "true, false",
                "No effect with `hashmap`, nor where `replay.bulk.enabled` is false. See [Replay in"
                        + " the background](operations.md#replay-in-the-background).");
        note(
                "state.changelog.replay.warm-up.enabled",
                CLUSTER,
                "true, false",
                "No effect where `replay.bulk.enabled` is false. Not read from `-D` properties of"
                        + " the TaskManager, nor from a job.");
        dfs(
                "base-path",
                "a URI",
                "A file system for its scheme on every machine, JobManager included. No"
                        + " credentials: they would be in each checkpoint's metadata.");
        dfs(
                "compaction.enabled",
                "true, false",
                "Read by stock either way. See [what is void](segment-format.md#what-is-void).");
        dfs("compression.enabled", "true, false", "Read by stock either way.");
        dfs(
                "preemptive-persist-threshold",
                "1 byte to 1 gb (0 counts as 1 byte, more as 1 gb; warned of)",
                "At most `upload.max-in-flight`, or each such upload stops the tasks.");
        dfs("batch.persist-delay", "0 or more", "No effect where the size threshold is 0.");
        dfs(
                "batch.persist-size-threshold",
                "0 or more",
                "At most `upload.max-in-flight`. No effect where the delay is 0.");
        dfs("upload.buffer-size", "1 byte to 1 gb", "Heap: this times `upload.num-threads`.");
        dfs("upload.num-threads", "1 or more", "Attempts that overlap take a thread each.");
        dfs("discard.num-threads", "1 or more", "");
        dfs("upload.max-in-flight", "1 byte or more", "At least `batch.persist-size-threshold`.");
        dfs(
                "upload.hard-max-in-flight",
                "`upload.max-in-flight` or more",
                "Heap: see [sizing](operations.md#sizing).");
        dfs(
                "s3.client",
                "`auto`, `direct`, `filesystem`",
                "Follows the keys of Flink's S3 plugin: see [S3](operations.md#s3).");
        dfs("upload.retry-policy", "`fixed`, `none`", "");
        dfs(
                "upload.timeout",
                "more than 0 (0: no timeout; warned of)",
                "No effect with retry policy `none`.");
        dfs(
                "upload.max-attempts",
                "1 or more (less counts as 1; warned of)",
                "No effect with retry policy `none`.");
        dfs(
                "upload.next-attempt-delay",
                "0 or more",
                "With policy `none`, too: from a failed upload to its repetition.");
        dfs(
                "upload.hedge.max-share",
                "0 to 1",
                "No effect with retry policy `none`, nor later than `upload.timeout`. Files of"
                        + " materializations that the direct S3 client stores have such a share of"
                        + " their own: one of up to 8 MB that is late is stored by another path.");
        dfs(
                "upload.hedge.max-in-flight",
                "1 or more",
                "No effect where `upload.hedge.max-share` is 0. Files of materializations save up as"
                        + " many of their own.");
        dfs(
                "download.local-cache.idle-timeout-ms",
                "0 or more",
                "A duration, in spite of its name.");
        dfs("download.num-threads", "1 or more", "No effect where the local cache is off.");
        dfs("download.max-ahead", "1 byte or more", "No effect where the local cache is off.");
    }

    private OptionTable() {}

    private static void note(String key, String where, String range, String interplay) {
        NOTES.put(key, new String[] {where, range, interplay});
    }

    private static void flink(
            String name, String meaning, String where, String range, String interplay) {
        MEANINGS.put("state.changelog." + name, meaning);
        note("state.changelog." + name, where, range, interplay);
    }

    private static void own(String name, String range, String interplay) {
        note("state.changelog.materialize." + name, JOB, range, interplay);
    }

    private static void dfs(String name, String range, String interplay) {
        note(DstlOptions.PREFIX + name, CLUSTER, range, interplay);
    }

    static String render() {
        StringBuilder page = new StringBuilder();
        JobOptions.ALL.forEach(option -> append(option, page));
        DstlOptions.ALL.forEach(option -> append(option, page));
        return page.append('\n').toString();
    }

    private static void append(ConfigOption<?> option, StringBuilder page) {
        String[] note = NOTES.get(option.key());
        if (note == null) {
            throw new IllegalStateException(
                    "Say where " + option.key() + " is read, and its range");
        }
        page.append("\n### `").append(option.key()).append("`\n\n");
        page.append(description(option)).append("\n\n");
        row(page, "also", deprecated(option));
        row(page, "type", type(option));
        row(page, "default", defaultOf(option));
        row(page, "range", note[1]);
        row(page, "read from", note[0]);
        row(page, "see also", note[2]);
    }

    private static void row(StringBuilder page, String name, String value) {
        if (!value.isEmpty()) {
            page.append("- ").append(name).append(": ").append(value).append('\n');
        }
    }

    private static String description(ConfigOption<?> option) {
        if (MEANINGS.containsKey(option.key())) {
            return MEANINGS.get(option.key());
        }
        String text = new HtmlFormatter().format(option.description());
        return text.replaceAll("<br\\s*/?>", " ").replaceAll("<[^>]+>", "").replaceAll("\\s+", " ");
    }

    private static String deprecated(ConfigOption<?> option) {
        List<String> keys = new ArrayList<>();
        for (FallbackKey key : option.fallbackKeys()) {
            keys.add('`' + key.getKey() + '`' + (key.isDeprecated() ? " (deprecated)" : ""));
        }
        return keys.stream().collect(Collectors.joining(", "));
    }

    private static String type(ConfigOption<?> option) {
        Object value = option.defaultValue();
        // Its default follows from another option.
        if (value instanceof MemorySize || option.equals(DstlOptions.HARD_IN_FLIGHT_DATA_LIMIT)) {
            return "size (`kb`, `mb`, `gb`)";
        }
        if (value instanceof Duration) {
            return "duration (`ms`, `s`, `min`, `h`)";
        }
        if (value instanceof Enum) {
            return "one of the words below";
        }
        return value == null ? "text" : value.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static String defaultOf(ConfigOption<?> option) {
        Object value = option.defaultValue();
        if (option.equals(DstlOptions.HARD_IN_FLIGHT_DATA_LIMIT)) {
            return "twice `upload.max-in-flight`";
        }
        if (value instanceof Enum) {
            return '`' + ((Enum<?>) value).name().toLowerCase(Locale.ROOT) + '`';
        }
        if (value instanceof Duration) {
            Duration duration = (Duration) value;
            return '`'
                    + (duration.toMinutes() > 0
                            ? duration.toMinutes() + " min"
                            : duration.toMillis() + " ms")
                    + '`';
        }
        return value == null ? "none" : '`' + String.valueOf(value) + '`';
    }
}
