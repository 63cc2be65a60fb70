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
package io.dstl.fs.segment;

import io.dstl.secret.Redaction.Redacted;
import io.dstl.secret.UriCredentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.UUID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.util.function.FunctionWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A number in a segment's name that tells which cluster wrote the segment.
 *
 * <p><b>Purpose.</b> Two clusters can run jobs of the same id on one base path. Only the
 * checkpoints of the cluster that wrote a segment tell whether it is needed. A search for segments
 * that no checkpoint needs has to know whether it has seen those checkpoints.
 *
 * <p><b>Layout.</b> The name is a UUID. Its last 48 bits are the mark and its check. The mark, 32
 * bits, is a checksum of the cluster's directory of checkpoints; the check, 16 bits, is computed
 * from the mark. A name has a mark if its check fits. 74 bits are random.
 *
 * <p><b>Names without a mark</b> have random bits there. {@link #without} changes a name whose
 * check fits by chance. Older names were not changed, so one in 65,536 of them seems to have a
 * mark. No data is lost by that: no checkpoint has this mark, so the search leaves the segment
 * alone, and all unmarked segments of its job too, until an operator states that the mark is of no
 * cluster.
 *
 * <p>A longer check would not help. Names with the short check would still have to count as marked:
 * if one were taken for an unmarked name, the checkpoints of another cluster would decide, and a
 * needed segment could be deleted.
 */
public final class ClusterMark {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterMark.class);

    private static final int CHECK_BITS = 16;
    private static final long NODE_BITS = 0xFFFF_FFFF_FFFFL;

    private ClusterMark() {}

    /**
     * Empty if the cluster has no checkpoint directory of its own, so that each job sets one. The
     * directory counts with the authority that its file system has by default, such as HDFS.
     */
    public static OptionalInt of(Configuration config) {
        return of(config, directory -> directory.makeQualified(directory.getFileSystem()));
    }

    /**
     * @param qualified adds what a path has by default; may fail
     */
    static OptionalInt of(
            Configuration config, FunctionWithException<Path, Path, IOException> qualified) {
        String directory = config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        if (directory == null || directory.trim().isEmpty()) {
            return OptionalInt.empty();
        }
        String entropy = config.getString("s3.entropy.key", "");
        String plain = entropy.isEmpty() ? directory : directory.replace(entropy, "");
        Path path;
        try {
            path = new Path(plain.trim());
        } catch (IllegalArgumentException e) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(of(qualified.apply(path)));
        } catch (IOException | RuntimeException e) {
            // The directory of checkpoints is not this class's to judge: as it is spelled, then.
            LOG.debug("The file system of {} gives it no authority", Redacted.of(path), e);
            return OptionalInt.of(of(path));
        }
    }

    /**
     * The mark of a cluster with that directory of checkpoints, in any spelling: scheme,
     * credentials and port do not count.
     */
    public static int of(Path directory) {
        String authority = directory.toUri().getAuthority();
        String host = authority == null ? "" : authority.replaceAll(":[0-9]*$", "");
        if (!UriCredentials.hasContainer(String.valueOf(directory.toUri().getScheme()))) {
            host = host.replaceAll("^.*@", "");
        }
        // A path made of a URI may end with a slash.
        String path = directory.getPath().replaceAll("/+$", "");
        return checksum(host.toLowerCase(Locale.ROOT) + path);
    }

    private static int checksum(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return SegmentFormat.checksum(bytes, 0, bytes.length);
    }

    private static long check(int mark) {
        return checksum("dstl " + mark) & ((1L << CHECK_BITS) - 1);
    }

    /**
     * @param name of a segment: a UUID
     */
    public static String put(String name, int mark) {
        UUID id = UUID.fromString(name);
        long node = Integer.toUnsignedLong(mark) << CHECK_BITS | check(mark);
        return new UUID(
                        id.getMostSignificantBits(),
                        (id.getLeastSignificantBits() & ~NODE_BITS) | node)
                .toString();
    }

    /**
     * A name without a mark: the one given, unless it has a mark by chance.
     *
     * @param name of a segment: a UUID
     */
    public static String without(String name) {
        if (!in(name).isPresent()) {
            return name;
        }
        UUID id = UUID.fromString(name);
        // Flips one bit of the check; the mark stays the same, so its check can't fit any more.
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() ^ 1).toString();
    }

    /**
     * @param name a UUID; Flink's own, and those of another version, have no mark
     */
    public static OptionalInt in(String name) {
        UUID id = UUID.fromString(name);
        long node = id.getLeastSignificantBits() & NODE_BITS;
        int mark = (int) (node >>> CHECK_BITS);
        boolean marked = id.version() == 8 && (node & ((1L << CHECK_BITS) - 1)) == check(mark);
        return marked ? OptionalInt.of(mark) : OptionalInt.empty();
    }

    /** Formats the mark as 8 hexadecimal digits, for people. */
    public static String show(int mark) {
        return String.format(Locale.ROOT, "%08x", mark);
    }
}
