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
package io.dstl.tools.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/**
 * The part of a path that an S3 file system replaces by random characters, to spread the load:
 * {@code s3.entropy.key}. Metadata is written where it is left out.
 */
public final class EntropyMarker {
    private static final ConfigOption<String> KEY =
            ConfigOptions.key("s3.entropy.key").stringType().noDefaultValue();
    private static final ConfigOption<Integer> LENGTH =
            ConfigOptions.key("s3.entropy.length").intType().defaultValue(4);

    private final String marker;
    private final int length;

    private final Predicate<Path> concerned;

    /**
     * @param marker empty where there is none
     * @param length of what replaces it, in characters
     * @param concerned whether the file system of a path knows of it
     */
    public EntropyMarker(String marker, int length, Predicate<Path> concerned) {
        this.marker = marker;
        this.length = length;
        this.concerned = concerned;
    }

    public static EntropyMarker of(Configuration configuration) {
        return new EntropyMarker(
                configuration.getOptional(KEY).orElse(""),
                configuration.get(LENGTH),
                EntropyMarker::isOnS3);
    }

    private static boolean isOnS3(Path path) {
        String scheme = path.toUri().getScheme();
        return scheme != null && scheme.startsWith("s3");
    }

    /** Where metadata of checkpoints in that directory is. */
    public Path without(Path path) {
        return isIn(path) ? withoutMarker(path) : path;
    }

    /** All directories that stand for this one: itself where it has no marker. */
    public List<Path> expand(Path path) throws IOException {
        List<Path> expanded = new ArrayList<>();
        if (!isIn(path)) {
            expanded.add(path);
            return expanded;
        }
        // Files that were written without entropy are there.
        expanded.add(withoutMarker(path));
        Path below = path;
        String tail = "";
        while (!below.getName().contains(marker)) {
            tail = "/" + below.getName() + tail;
            below = below.getParent();
        }
        Pattern replaced = replaced(below.getName());
        for (FileStatus entry : Directory.list(below.getParent())) {
            if (entry.isDir() && replaced.matcher(entry.getPath().getName()).matches()) {
                expanded.add(new Path(entry.getPath() + tail));
            }
        }
        return expanded;
    }

    private Pattern replaced(String component) {
        int at = component.indexOf(marker);
        String before = component.substring(0, at);
        String after = component.substring(at + marker.length());
        return Pattern.compile(
                Pattern.quote(before)
                        + "(?:[a-zA-Z0-9]{"
                        + length
                        + "}|"
                        + Pattern.quote(marker)
                        + ")"
                        + Pattern.quote(after));
    }

    private Path withoutMarker(Path path) {
        return new Path(path.toString().replace(marker, ""));
    }

    /** Whether the path stands for several. */
    public boolean isIn(Path path) {
        return !marker.isEmpty() && path.getPath().contains(marker) && concerned.test(path);
    }
}
