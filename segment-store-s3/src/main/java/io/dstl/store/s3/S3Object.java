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
package io.dstl.store.s3;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.flink.core.fs.Path;

/** An object of a bucket, as a path of Flink's names it. Immutable. */
public final class S3Object {

    private static final Set<String> SCHEMES =
            Collections.unmodifiableSet(new HashSet<>(Arrays.asList("s3", "s3a", "s3p")));

    private final String bucket;
    private final String key;

    private S3Object(String bucket, String key) {
        this.bucket = bucket;
        this.key = key;
    }

    /** Whether the path names a bucket under one of the schemes of Flink's S3 file systems. */
    public static boolean isOn(Path path) {
        String scheme = path.toUri().getScheme();
        String bucket = path.toUri().getAuthority();
        return scheme != null
                && SCHEMES.contains(scheme.toLowerCase(Locale.ROOT))
                && bucket != null
                && !bucket.isEmpty();
    }

    /**
     * @param path one that {@link #isOn} accepts
     */
    static S3Object of(Path path) {
        String key = path.toUri().getPath();
        return new S3Object(
                path.toUri().getAuthority(), key.startsWith("/") ? key.substring(1) : key);
    }

    String bucket() {
        return bucket;
    }

    String key() {
        return key;
    }

    @Override
    public String toString() {
        return bucket + "/" + key;
    }
}
