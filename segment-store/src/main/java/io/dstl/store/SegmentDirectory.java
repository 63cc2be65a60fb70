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
package io.dstl.store;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.EntropyInjectingFileSystem;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.util.WrappingProxy;
import org.apache.flink.util.WrappingProxyUtil;

/**
 * The directory of a job's segments: {@code <base>/<job id>/dstl/<name>}. If the base contains the
 * marker of Flink's entropy injection, characters that differ from segment to segment replace it,
 * so that keys spread over an object store's partitions. They are derived from the name: one name
 * has one path, also in another process. Immutable.
 */
public final class SegmentDirectory {

    private static final String LAST = "dstl";
    private static final String ALPHANUMERICS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    private final Path directory;
    private final Optional<String> marker;
    private final int entropyLength;

    private SegmentDirectory(Path directory, Optional<String> marker, int entropyLength) {
        this.directory = directory;
        this.marker = marker.filter(text -> directory.toUri().getPath().contains(text));
        this.entropyLength = entropyLength;
    }

    /** Below a base path without entropy injection. */
    public static SegmentDirectory of(Path base, JobID job) {
        return new SegmentDirectory(below(base, job), Optional.empty(), 0);
    }

    /**
     * @param marker its first occurrence is replaced by entropy
     * @param entropyLength in characters
     */
    public static SegmentDirectory withEntropy(
            Path base, JobID job, String marker, int entropyLength) {
        return new SegmentDirectory(below(base, job), Optional.of(marker), entropyLength);
    }

    /** With the entropy that the file system is configured to inject, if any. */
    public static SegmentDirectory on(FileSystem files, Path base, JobID job) {
        Path qualified = base.makeQualified(files);
        Optional<EntropyInjectingFileSystem> injecting = injecting(files);
        return injecting.isPresent() && injecting.get().getEntropyInjectionKey() != null
                ? withEntropy(
                        qualified,
                        job,
                        injecting.get().getEntropyInjectionKey(),
                        injecting.get().generateEntropy().length())
                : of(qualified, job);
    }

    private static Optional<EntropyInjectingFileSystem> injecting(FileSystem files) {
        Object innermost = innermost(files);
        return innermost instanceof EntropyInjectingFileSystem
                ? Optional.of((EntropyInjectingFileSystem) innermost)
                : Optional.empty();
    }

    /** The file system without the wrappers that Flink adds. */
    public static Object innermost(FileSystem files) {
        return files instanceof WrappingProxy
                ? WrappingProxyUtil.stripProxy((WrappingProxy<?>) files)
                : files;
    }

    private static Path below(Path base, JobID job) {
        return new Path(new Path(base, job.toHexString()), LAST);
    }

    /**
     * @param name without path separators
     */
    public Path file(String name) {
        return new Path(marker.map(text -> replaced(text, entropy(name))).orElse(directory), name);
    }

    private Path replaced(String text, String entropy) {
        URI uri = directory.toUri();
        String path = uri.getPath();
        int at = path.indexOf(text);
        String resolved = path.substring(0, at) + entropy + path.substring(at + text.length());
        try {
            return new Path(
                    new URI(uri.getScheme(), uri.getAuthority(), resolved, null, null).normalize());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("No path after entropy injection: " + resolved, e);
        }
    }

    private String entropy(String name) {
        UUID hash = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        SplittableRandom seeded =
                new SplittableRandom(
                        hash.getMostSignificantBits() ^ hash.getLeastSignificantBits());
        StringBuilder entropy = new StringBuilder(entropyLength);
        for (int i = 0; i < entropyLength; i++) {
            entropy.append(ALPHANUMERICS.charAt(seeded.nextInt(ALPHANUMERICS.length())));
        }
        return entropy.toString();
    }

    /** Names segments. Any thread. */
    public interface SegmentNames {

        /** A name that no segment of any process has had; no path separator in it. */
        String next();
    }
}
