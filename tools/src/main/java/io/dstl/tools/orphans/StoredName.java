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
package io.dstl.tools.orphans;

import io.dstl.fs.segment.ClusterMark;
import io.dstl.tools.checkpoint.MetadataFile;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/**
 * What tells a file of a job from all others: the job's id, the directory, its own name. A segment
 * is {@code <base>/<job id>/dstl/<UUID>}; a state file is {@code <checkpoints>/<job id>/<UUID>} in
 * {@code shared}, {@code taskowned} or {@code chk-<n>}. All of them are named by UUIDs; what isn't
 * is somebody else's.
 *
 * <p>What comes before is left out on purpose. One object has many spellings ({@code s3}, {@code
 * s3a}, {@code s3p}, with and without credentials or a port), and a reference in another spelling
 * than the configuration's is a reference all the same.
 */
final class StoredName {
    /** The directory of a job's segments, below the one that is named by its id. */
    static final String LOG = "dstl";

    private static final Pattern STATE = Pattern.compile("shared|taskowned|chk-[0-9]+");
    private static final Pattern PATH =
            Pattern.compile(
                    "(?:.*/)?("
                            + MetadataFile.JOB_ID
                            + ")/("
                            + LOG
                            + "|"
                            + STATE
                            + ")/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})");

    private final String job;
    private final String directory;
    private final String name;

    private StoredName(String job, String directory, String name) {
        this.job = job;
        this.directory = directory;
        this.name = name;
    }

    /** Empty for the path of anything else. */
    static Optional<StoredName> of(Path path) {
        Matcher matcher = PATH.matcher(path.getPath());
        return matcher.matches()
                ? Optional.of(new StoredName(matcher.group(1), matcher.group(2), matcher.group(3)))
                : Optional.empty();
    }

    /** Whether a directory of this name, beside a job's checkpoints, has state files. */
    static boolean isStateDirectory(String text) {
        return STATE.matcher(text).matches();
    }

    String job() {
        return job;
    }

    /** The last part of the path: a UUID. */
    String name() {
        return name;
    }

    boolean isSegment() {
        return directory.equals(LOG);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredName
                && ((StoredName) other).job.equals(job)
                && ((StoredName) other).directory.equals(directory)
                && ((StoredName) other).name.equals(name);
    }

    @Override
    public int hashCode() {
        return Objects.hash(job, directory, name);
    }

    @Override
    public String toString() {
        return job + "/" + directory + "/" + name;
    }

    /** One object that has the name of a segment or of a state file, as the store lists it. */
    static final class StoredFile {
        final StoredName name;
        final Path path;
        final long bytes;

        /** In ms since the epoch, by the store's clock. */
        final long writtenAt;

        StoredFile(StoredName name, FileStatus file) {
            this.name = name;
            this.path = file.getPath();
            this.bytes = file.getLen();
            this.writtenAt = file.getModificationTime();
        }

        /**
         * The mark of the cluster that wrote it: a segment's name has it, unless it is of an old
         * version or of Flink's; state files are in that cluster's directory of checkpoints.
         */
        OptionalInt cluster() {
            return name.isSegment()
                    ? ClusterMark.in(name.name())
                    : OptionalInt.of(ClusterMark.of(path.getParent().getParent().getParent()));
        }

        /** {@code <job id>/<mark>}, or the job's id where the mark is not known. */
        String jobOfCluster() {
            OptionalInt mark = cluster();
            return mark.isEmpty()
                    ? name.job()
                    : name.job() + "/" + ClusterMark.show(mark.getAsInt());
        }
    }
}
