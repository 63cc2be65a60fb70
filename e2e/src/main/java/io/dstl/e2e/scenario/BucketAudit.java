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
package io.dstl.e2e.scenario;

import io.dstl.harness.store.Bucket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What is in the bucket, and what the retained checkpoints and savepoints refer to. Immutable.
 *
 * <p>Finds the names in the bytes of the metadata, and so shares no code with the command that
 * cleans up.
 */
public final class BucketAudit {
    /** Of every run. */
    public static final String BUCKET = "dstl";

    private static final String METADATA = "/_metadata";
    private static final int LENGTH_BYTES = 2;
    private static final int SIZE_BYTES = 8;
    private static final char FILE = 2;

    private final String root;
    private final Set<String> stored;
    private final Set<String> retained = new TreeSet<>();
    private final Set<String> named = new TreeSet<>();

    private BucketAudit(String root, Set<String> stored) {
        this.root = root;
        this.stored = stored;
    }

    /** Of all below that folder, but what high availability keeps there. */
    public static BucketAudit of(Bucket bucket, String root) throws IOException {
        Set<String> stored =
                bucket.list(root + "/").keySet().stream()
                        .filter(key -> !key.startsWith(root + "/ha/"))
                        .collect(Collectors.toCollection(TreeSet::new));
        Map<String, byte[]> metadata = new TreeMap<>();
        for (String key : stored) {
            if (key.endsWith(METADATA)) {
                metadata.put(key, bucket.read(key));
            }
        }
        return of(root, stored, metadata);
    }

    /**
     * @param metadata content by key, of those of the stored objects that are metadata
     */
    static BucketAudit of(String root, Set<String> stored, Map<String, byte[]> metadata) {
        BucketAudit audit = new BucketAudit(root, new TreeSet<>(stored));
        metadata.forEach(audit::take);
        return audit;
    }

    private void take(String key, byte[] content) {
        retained.add(key);
        named.add(key);
        String text = new String(content, StandardCharsets.ISO_8859_1);
        Matcher paths =
                Pattern.compile("s3://[^/]+/(" + Pattern.quote(root) + "/[A-Za-z0-9._/-]+)")
                        .matcher(text);
        while (paths.find()) {
            if (isFile(text, paths.start())) {
                named.add(paths.group(1));
            }
        }
        // A file beside the metadata goes by its name alone.
        String directory = key.substring(0, key.length() - METADATA.length() + 1);
        for (String neighbour : stored) {
            if (neighbour.startsWith(directory)
                    && text.contains(neighbour.substring(directory.length()))) {
                named.add(neighbour);
            }
        }
    }

    /**
     * Whether the path at that place is a file's. State that is kept in the metadata itself has the
     * path of a file as its name, too, but that file was never written. Before a file's path come
     * its length in two bytes, the size of the file in eight, and a 2.
     */
    private static boolean isFile(String text, int path) {
        int type = path - LENGTH_BYTES - SIZE_BYTES - 1;
        if (type < 0 || text.charAt(type) != FILE) {
            return false;
        }
        String highHalf = text.substring(type + 1, type + 1 + SIZE_BYTES / 2);
        return highHalf.chars().allMatch(digit -> digit == 0);
    }

    /** Where Flink finds the checkpoints and savepoints that are there. */
    public Set<String> retained() {
        return retained.stream()
                .map(
                        key ->
                                "s3://"
                                        + BUCKET
                                        + "/"
                                        + key.substring(0, key.length() - METADATA.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What a checkpoint refers to and is gone. */
    public Set<String> missing() {
        Set<String> missing = new TreeSet<>(named);
        missing.removeAll(stored);
        return missing;
    }

    /** What no checkpoint refers to. */
    public Set<String> leftOver() {
        Set<String> left = new TreeSet<>(stored);
        left.removeAll(named);
        return left;
    }

    public int stored() {
        return stored.size();
    }

    /** What there is in a folder below that of the audit. */
    Set<String> stored(String folder) {
        return in(folder, stored);
    }

    /** What the checkpoints refer to in a folder below that of the audit. */
    Set<String> named(String folder) {
        return in(folder, named);
    }

    private Set<String> in(String folder, Set<String> keys) {
        return keys.stream()
                .filter(key -> key.startsWith(root + "/" + folder + "/"))
                .collect(Collectors.toSet());
    }

    /** Whether there is anything of that job. */
    public boolean knows(String job) {
        return stored.stream().anyMatch(key -> key.contains("/" + job + "/"));
    }
}
