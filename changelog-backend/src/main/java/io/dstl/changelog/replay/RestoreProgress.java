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
package io.dstl.changelog.replay;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.flink.util.clock.Clock;

/**
 * The progress of one restore, and where its time goes: first the base, then the replay of the log.
 * Another thread reads the log beside both.
 *
 * <p>The thread that restores and the one that reads update it, batch by batch, and one that looks
 * at the disk. Any thread may read it, and may find one figure a batch ahead of another.
 */
public final class RestoreProgress {
    /** Stands for a time that is not known yet. */
    public static final long UNKNOWN = -1;

    private static final long NEVER = Long.MIN_VALUE;

    private final Clock clock;
    private final long begin;
    private final AtomicLong fetchNanos = new AtomicLong();
    private final AtomicLong decodeNanos = new AtomicLong();
    private final AtomicLong waitNanos = new AtomicLong();
    private final AtomicLong setsRead = new AtomicLong();
    private final AtomicLong setsReplayed = new AtomicLong();
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    private volatile long sets;
    private volatile long baseBytes;
    private volatile LongSupplier disk = () -> 0;
    private volatile OnDisk onDisk = OnDisk.NOTHING;
    private volatile long baseEnd = NEVER;
    private volatile long replayBegin = NEVER;
    private volatile long end = NEVER;

    public RestoreProgress(Clock clock) {
        this.clock = clock;
        this.begin = clock.relativeTimeNanos();
    }

    long now() {
        return clock.relativeTimeNanos();
    }

    /** Sets the number of change sets that will be read. */
    void announced(long changeSets) {
        sets = changeSets;
    }

    /** Counts the fetch of a change set, which has been opened. */
    void fetched(long nanos) {
        fetchNanos.addAndGet(nanos);
    }

    void decoded(long nanos) {
        decodeNanos.addAndGet(nanos);
    }

    /** Counts a change set that has been read to its end. */
    void read() {
        setsRead.incrementAndGet();
    }

    /**
     * Counts a wait: the replay has had nothing to replay since that moment. A wait before the end
     * of the base costs nothing.
     *
     * @return the nanoseconds that cost nothing
     */
    long waited(long since) {
        long now = now();
        long end = baseEnd;
        long costs = end == NEVER ? 0 : now - Math.max(since, end);
        waitNanos.addAndGet(costs);
        return now - since - costs;
    }

    /**
     * @param content of the changes, in bytes
     * @param setEnded whether they were the last ones of their change set
     */
    void replayed(long count, long content, boolean setEnded) {
        changes.addAndGet(count);
        bytes.addAndGet(content);
        if (setEnded) {
            setsReplayed.incrementAndGet();
        }
    }

    /** The replay begins now. Without this call, it begins at the end of the base. */
    public void replayBegins() {
        replayBegin = now();
    }

    /**
     * The delegate restores the base from now on.
     *
     * @param bytes of the base
     * @param disk tells how many bytes the delegate has on the local disk, 0 if that is unknown;
     *     with files of its own they may be more than those of the base
     */
    public void baseBegins(long bytes, LongSupplier disk) {
        baseBytes = bytes;
        this.disk = disk;
    }

    /** Whether the base is neither restored yet nor has failed to be. */
    public boolean isRestoringBase() {
        return baseEnd == NEVER && end == NEVER;
    }

    /**
     * Looks how many bytes of the base are on the local disk. Takes as long as the disk does. By
     * one thread at a time.
     */
    public void lookAtDisk() {
        onDisk = onDisk.then(Math.min(baseBytes, disk.getAsLong()), now());
    }

    /** The base has been restored. */
    public void baseRestored() {
        baseEnd = now();
        if (replayBegin == NEVER) {
            replayBegin = baseEnd;
        }
    }

    /** The log is replayed again from its beginning. */
    public void replayAgain() {
        setsRead.set(0);
        setsReplayed.set(0);
        changes.set(0);
        bytes.set(0);
        replayBegin = now();
    }

    /** The restore has ended or failed. Only the first call counts. */
    public void ended() {
        if (end == NEVER) {
            end = now();
        }
    }

    /** The changes of the log that were replayed so far. */
    public long changes() {
        return changes.get();
    }

    /** The bytes of these changes, without compression. */
    public long bytes() {
        return bytes.get();
    }

    /** The time since the restore began. */
    public long totalMillis() {
        return millis(until() - begin);
    }

    /** The bytes of the base that are restored; before its end, those of the last look. */
    public long baseBytes() {
        return baseEnd == NEVER ? onDisk.bytes : baseBytes;
    }

    /** The milliseconds that the delegate took to restore the base. */
    public long baseMillis() {
        return millis((baseEnd == NEVER ? until() : baseEnd) - begin);
    }

    /** The time that the reading thread waited for its input. */
    public long fetchMillis() {
        return millis(fetchNanos.get());
    }

    /** The time that the reading thread took to verify, decompress and split its input. */
    public long decodeMillis() {
        return millis(decodeNanos.get());
    }

    /** The time after the base in which the restoring thread had nothing to replay. */
    public long waitMillis() {
        return millis(waitNanos.get());
    }

    /** The time after the base that was spent on replay. */
    public long applyMillis() {
        return baseEnd == NEVER ? 0 : millis(until() - baseEnd - waitNanos.get());
    }

    /**
     * The time left until the base is on the local disk, judged by how its bytes grow from look to
     * look, then that until the log is replayed, judged by its change sets so far. {@link #UNKNOWN}
     * before either tells anything, and while the base is opened. 0 only at the end: after the last
     * change set, the changes that were kept are still written.
     */
    public long millisLeft() {
        if (end != NEVER) {
            return 0;
        }
        long replayed = setsReplayed.get();
        return baseEnd == NEVER
                ? onDisk.millisLeft(baseBytes)
                : millisLeft(replayNanos(), replayed, sets - replayed);
    }

    private static long millisLeft(long nanos, long done, long left) {
        return done == 0 ? UNKNOWN : Math.max(1, (long) (millis(nanos) * ((double) left / done)));
    }

    private long replayNanos() {
        return replayBegin == NEVER ? 0 : until() - replayBegin;
    }

    private long until() {
        return end == NEVER ? now() : end;
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** Describes the progress for people. */
    @Override
    public String toString() {
        if (baseEnd == NEVER) {
            return String.format(
                    Locale.ROOT,
                    "its materialized state is being restored%s; of its log %d of %d change sets"
                            + " are read ahead",
                    ofBase(onDisk),
                    setsRead.get(),
                    sets);
        }
        if (setsReplayed.get() == sets) {
            return String.format(
                    Locale.ROOT,
                    "all %d changes (%d bytes) of its log are replayed, the last ones are being"
                            + " written",
                    changes(),
                    bytes());
        }
        return String.format(
                Locale.ROOT,
                "%d changes (%d bytes) of its log are replayed, %d of %d change sets, %d changes a"
                        + " second, %s",
                changes(),
                bytes(),
                setsReplayed.get(),
                sets,
                1000 * changes() / Math.max(1, millis(replayNanos())),
                timeLeft(millisLeft()));
    }

    private String ofBase(OnDisk seen) {
        if (seen.bytes == 0) {
            return baseBytes == 0 ? "" : ", " + baseBytes + " bytes";
        }
        return String.format(
                Locale.ROOT,
                ", %d of %d bytes are on the local disk, %s",
                seen.bytes,
                baseBytes,
                seen.bytes == baseBytes ? "and are opened" : timeLeft(seen.millisLeft(baseBytes)));
    }

    private static String timeLeft(long millis) {
        return millis == UNKNOWN ? "time left unknown" : millis / 1000 + " s left";
    }

    /** What looks at the disk have found so far. Immutable. */
    private static final class OnDisk {
        static final OnDisk NOTHING = new OnDisk(0, 0, 0, 0);

        final long bytes;
        private final long nanos;

        /** Of the first look that found anything: what came before says nothing of the download. */
        private final long firstBytes;

        private final long firstNanos;

        private OnDisk(long bytes, long nanos, long firstBytes, long firstNanos) {
            this.bytes = bytes;
            this.nanos = nanos;
            this.firstBytes = firstBytes;
            this.firstNanos = firstNanos;
        }

        OnDisk then(long found, long now) {
            return bytes == 0
                    ? new OnDisk(found, now, found, now)
                    : new OnDisk(found, now, firstBytes, firstNanos);
        }

        long millisLeft(long all) {
            return bytes == all
                    ? UNKNOWN
                    : RestoreProgress.millisLeft(
                            nanos - firstNanos, Math.max(0, bytes - firstBytes), all - bytes);
        }
    }
}
