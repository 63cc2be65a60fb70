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

/**
 * What is stored of one cluster's jobs: the segments, and the retained checkpoints with the
 * segments that they name.
 *
 * <p>Finds the names in the bytes of the metadata, and so shares no code with the command that it
 * is held against.
 */
final class StoredLog {
    private static final Pattern SEGMENT = Pattern.compile("[0-9a-f]{32}/dstl/[A-Za-z0-9._-]+");
    private static final String METADATA = "/_metadata";

    private final Bucket bucket;
    private final String root;

    /**
     * @param root the folder of the bucket for all that the cluster's jobs store
     */
    StoredLog(Bucket bucket, String root) {
        this.bucket = bucket;
        this.root = root;
    }

    /** Every object of the log, by the end of its key, with its size in bytes. */
    Map<String, Long> segments() throws IOException {
        String prefix = root + "/changelog/";
        Map<String, Long> segments = new TreeMap<>();
        bucket.list(prefix)
                .forEach((key, bytes) -> segments.put(key.substring(prefix.length()), bytes));
        return segments;
    }

    /** Keys of the metadata of all retained checkpoints. */
    Set<String> retained() throws IOException {
        Set<String> retained = new TreeSet<>();
        for (String key : bucket.list(root + "/checkpoints/").keySet()) {
            if (key.endsWith(METADATA)) {
                retained.add(key);
            }
        }
        return retained;
    }

    /** The segments that those checkpoints name. */
    Set<String> namedBy(Set<String> metadata) throws IOException {
        Set<String> named = new TreeSet<>();
        for (String key : metadata) {
            Matcher matcher =
                    SEGMENT.matcher(new String(bucket.read(key), StandardCharsets.ISO_8859_1));
            while (matcher.find()) {
                named.add(matcher.group());
            }
        }
        return named;
    }

    /** Where Flink finds the checkpoint with that metadata. */
    static String path(String metadata) {
        return "s3://"
                + FlightsCluster.BUCKET
                + "/"
                + metadata.substring(0, metadata.length() - METADATA.length());
    }
}
