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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import okhttp3.HttpUrl;
import org.apache.flink.core.fs.Path;

/** An object of a bucket, as named by a path of Flink. Immutable. */
public final class S3Object {

    private static final Set<String> SCHEMES = Set.of("s3", "s3a", "s3p");

    private final String bucket;
    private final String key;

    private S3Object(String bucket, String key) {
        this.bucket = bucket;
        this.key = key;
    }

    /** Whether the path names a bucket under one of the schemes of Flink's S3 file systems. */
    static boolean isOnS3(Path path) {
        String scheme = path.toUri().getScheme();
        String bucket = path.toUri().getAuthority();
        return scheme != null
                && SCHEMES.contains(scheme.toLowerCase(Locale.ROOT))
                && bucket != null
                && !bucket.isEmpty();
    }

    /** Whether it also contains credentials, which only Flink's file systems know. */
    static boolean hasCredentials(Path path) {
        return isOnS3(path) && path.toUri().getAuthority().contains("@");
    }

    /** Whether the direct client can access it with its configuration. */
    public static boolean isReachable(Path path) {
        return isOnS3(path) && !hasCredentials(path);
    }

    /**
     * @param path one that {@link #isReachable} accepts
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

    /** The URLs of a store's objects: the configured endpoint, with bucket and key. Immutable. */
    static final class S3Addresses {

        private static final String UNRESERVED =
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

        /** "Bucket naming rules" of the Amazon S3 user guide. */
        private static final Pattern HOST_NAME =
                Pattern.compile("[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?");

        private final HttpUrl endpoint;
        private final boolean wholeAws;
        private final boolean virtualHosts;

        S3Addresses(S3Settings settings) {
            this.endpoint = settings.endpoint();
            this.wholeAws = settings.isWholeAws();
            this.virtualHosts = settings.virtualHosts();
        }

        /** Whether the host that is asked follows from the region. */
        boolean followRegions() {
            return wholeAws;
        }

        /** Whether nobody can read or change requests on the way. */
        boolean areSecure() {
            return endpoint.isHttps();
        }

        /**
         * @param region of the bucket; part of the host's name on AWS
         * @param key null: of the bucket itself
         * @throws IOException if no URL can contain the key
         */
        HttpUrl of(String bucket, @Nullable String key, String region) throws IOException {
            HttpUrl.Builder url = endpoint.newBuilder();
            String host = wholeAws ? ofRegion(region) : endpoint.host();
            if (virtualHosts && isHostName(bucket)) {
                url.host(bucket + "." + host);
            } else {
                url.host(host).addEncodedPathSegment(encoded(bucket));
            }
            if (key != null) {
                for (String segment : key.split("/")) {
                    if (segment.equals(".") || segment.equals("..")) {
                        throw new IOException(
                                "No request can name "
                                        + bucket
                                        + "/"
                                        + key
                                        + ": "
                                        + segment
                                        + " in a URL leads elsewhere");
                    }
                }
                url.addEncodedPathSegments(encoded(key));
            }
            return url.build();
        }

        /**
         * Whether a host can have the bucket's name. One with capitals or an underscore, which old
         * buckets and other stores may have, would be another bucket's or none; the certificates of
         * the virtual hosts cover no name with another dot.
         */
        private boolean isHostName(String bucket) {
            return HOST_NAME.matcher(bucket).matches()
                    && !(endpoint.isHttps() && bucket.contains("."));
        }

        /** The host of AWS for buckets in a region. */
        static String ofRegion(String region) {
            return "s3." + region + ".amazonaws.com" + (region.startsWith("cn-") ? ".cn" : "");
        }

        /** Encodes all but unreserved characters and slashes, as the signature does. */
        private static String encoded(String text) {
            StringBuilder encoded = new StringBuilder();
            for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
                char c = (char) (b & 0xff);
                if (UNRESERVED.indexOf(c) >= 0) {
                    encoded.append(c);
                } else {
                    encoded.append('%').append(hexDigit(c >> 4)).append(hexDigit(c & 0xf));
                }
            }
            return encoded.toString();
        }

        private static char hexDigit(int value) {
            return Character.toUpperCase(Character.forDigit(value, 16));
        }
    }
}
