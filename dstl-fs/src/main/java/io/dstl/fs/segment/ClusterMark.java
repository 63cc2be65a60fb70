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

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;

/**
 * A number in a segment's name that tells which cluster wrote the segment.
 *
 * <p><b>What for.</b> Two clusters can run jobs of the same id on one base path. Whether a segment
 * is needed, only the checkpoints of the cluster that wrote it can tell. A search for segments that
 * no checkpoint needs has to know whether it has seen those.
 *
 * <p><b>Where it is.</b> The name is a UUID. Its last 48 bits are the mark, which is a checksum of
 * the cluster's directory of checkpoints, in 32 bits, and then the check, which is made of the
 * mark, in 16 bits. A name has a mark if its check fits. 74 bits are left to chance.
 *
 * <p><b>Names without a mark</b> have chance in these bits. {@link #without} changes one whose
 * check fits by chance. Names from before there was that method were not changed, so one in 65,536
 * of them seems to have a mark. That loses nothing: no checkpoint has this mark, so the segment is
 * left alone, and all segments of its job without a mark as well, until somebody says that the mark
 * is of no cluster.
 *
 * <p>A longer check would not help them. Names with the short check would still have to count as
 * marked: if one were taken for a name without a mark, the checkpoints of another cluster would
 * decide, and the segment could be deleted while it is needed.
 */
public final class ClusterMark {

    private static final int CHECK_BITS = 16;
    private static final long NODE_BITS = 0xFFFF_FFFF_FFFFL;

    private ClusterMark() {}

    /** Empty where the cluster has no directory of its own, and each job sets one. */
    public static OptionalInt of(Configuration config) {
        String directory = config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        if (directory == null || directory.trim().isEmpty()) {
            return OptionalInt.empty();
        }
        String entropy = config.getString("s3.entropy.key", "");
        String plain = entropy.isEmpty() ? directory : directory.replace(entropy, "");
        try {
            return OptionalInt.of(of(new Path(plain.trim())));
        } catch (IllegalArgumentException e) {
            return OptionalInt.empty();
        }
    }

    /**
     * The mark of a cluster with that directory of checkpoints, in any spelling: without scheme,
     * credentials and port.
     */
    public static int of(Path directory) {
        String authority = directory.toUri().getAuthority();
        String host = authority == null ? "" : authority.replaceAll("^.*@|:[0-9]*$", "");
        // A path that was made of a URI may end with one.
        String path = directory.getPath().replaceAll("/+$", "");
        return checksum(host.toLowerCase(Locale.ROOT) + path);
    }

    private static int checksum(String text) {
        CRC32C checksum = new CRC32C();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        checksum.update(bytes, 0, bytes.length);
        return (int) checksum.getValue();
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
     * A name that has no mark: the one given, unless chance has put one into it.
     *
     * @param name of a segment: a UUID
     */
    public static String without(String name) {
        if (!in(name).isPresent()) {
            return name;
        }
        UUID id = UUID.fromString(name);
        // One bit of the check: what is before it is the same, so the check of it is too.
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

    /** As people read and write it: 8 hexadecimal digits. */
    public static String show(int mark) {
        return String.format(Locale.ROOT, "%08x", mark);
    }
}
