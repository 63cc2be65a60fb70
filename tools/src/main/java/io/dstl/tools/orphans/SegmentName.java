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

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.Path;

/**
 * What tells a segment from all others: its job's id and its own name, the end of {@code
 * <base>/<job id>/dstl/<name>}.
 *
 * <p>What comes before is left out on purpose. One object has many spellings ({@code s3}, {@code
 * s3a}, {@code s3p}, with and without credentials or a port), and a reference in another spelling
 * than the configuration's is a reference all the same.
 */
final class SegmentName {
    /** The directory of a job's segments, below the one that is named by its id. */
    static final String DIRECTORY = "dstl";

    private static final Pattern JOB = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern PATH =
            Pattern.compile("(?:.*/)?(" + JOB + ")/" + DIRECTORY + "/([^/]+)");

    private final String job;
    private final String name;

    SegmentName(String job, String name) {
        this.job = job;
        this.name = name;
    }

    /** Empty for the path of anything else. */
    static Optional<SegmentName> of(Path path) {
        Matcher matcher = PATH.matcher(path.getPath());
        return matcher.matches()
                ? Optional.of(new SegmentName(matcher.group(1), matcher.group(2)))
                : Optional.empty();
    }

    /** Whether this is how Flink writes the id of a job. */
    static boolean isJob(String text) {
        return JOB.matcher(text).matches();
    }

    String job() {
        return job;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SegmentName
                && ((SegmentName) other).job.equals(job)
                && ((SegmentName) other).name.equals(name);
    }

    @Override
    public int hashCode() {
        return Objects.hash(job, name);
    }

    @Override
    public String toString() {
        return job + "/" + DIRECTORY + "/" + name;
    }
}
