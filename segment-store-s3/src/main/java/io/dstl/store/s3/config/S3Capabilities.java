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
package io.dstl.store.s3.config;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.Configuration;

/**
 * The keys of Flink's S3 file systems that the direct client supports, and those it may ignore as
 * they have no meaning for whole objects put and read by one request. Any other key may ask for
 * something that it does not do, such as encryption: then it is not used.
 */
public final class S3Capabilities {

    private static final String REMEDY =
            "Leave it out, or set state.changelog.dstl.dfs.s3.client to filesystem";

    private static final Set<String> FOLLOWED =
            Set.of(
                    "endpoint",
                    "endpoint.region",
                    "region",
                    "access.key",
                    "secret.key",
                    "session.token",
                    "path.style.access",
                    "ssl.enabled",
                    "connection.ssl.enabled",
                    "connection.max",
                    "connection.maximum",
                    "max.connections",
                    "connection.establish.timeout",
                    "connect.timeout",
                    "connection.timeout",
                    "socket.timeout",
                    "aws.credentials.provider",
                    "credentials.provider",
                    "use.instance.credentials",
                    "entropy.key",
                    "entropy.length");

    /** How a variable of Hadoop's configuration begins, such as that of the environment. */
    private static final String VARIABLE = "${";

    /** Values that ask for nothing beyond the default behaviour. */
    private static final Map<String, String> WITHOUT_EFFECT =
            Map.of(
                    "sse.enabled", "false",
                    "sse.type", "none",
                    "requester.pays.enabled", "false",
                    "endpoint.fips", "false",
                    "pin.client.to.current.region", "false",
                    "upload.acl.type", "private",
                    "acl.default", "private",
                    "storage.class", "standard",
                    "ssl.channel.mode", "default_jsse");

    /** Exact names, and prefixes before a dot. */
    private static final Set<String> MEANINGLESS =
            Set.of(
                    "attempts.maximum",
                    "audit",
                    "async.enabled",
                    "block.size",
                    "buffer.dir",
                    "bulk.copy",
                    "bulk.delete",
                    "change.detection",
                    "checksum.validation.enabled",
                    "chunked.encoding.enabled",
                    "client.close.timeout",
                    "close.timeout",
                    "committer",
                    "connection.acquisition.timeout",
                    "connection.idle.time",
                    "connection.keepalive",
                    "connection.max.idle.time",
                    "connection.request.timeout",
                    "connection.ttl",
                    "directory.marker.retention",
                    "executor.capacity",
                    "experimental.input.fadvise",
                    "fast.upload",
                    "impl",
                    "list.version",
                    "max.backoff.time",
                    "max.client.retries",
                    "max.error.retries",
                    "max.retry.time",
                    "max.total.tasks",
                    "metadatastore",
                    "multiobjectdelete.enable",
                    "multipart",
                    "paging.maximum",
                    "read.buffer.size",
                    "readahead.range",
                    "retry",
                    "s5cmd",
                    "select",
                    "skip.glacier.objects",
                    "socket.recv.buffer",
                    "socket.send.buffer",
                    "staging.directory",
                    "threads",
                    "upload.max.concurrent.uploads",
                    "upload.min.part.size",
                    "user.agent.prefix",
                    "vectored.read");

    private S3Capabilities() {}

    /**
     * @throws UnsupportedS3Exception naming the first key that the direct client cannot follow
     */
    public static void check(S3Keys keys, S3FileSystemKind kind) throws UnsupportedS3Exception {
        for (S3Keys.Entry entry : keys.all()) {
            String without = WITHOUT_EFFECT.get(entry.name());
            boolean followed =
                    FOLLOWED.contains(entry.name())
                            || entry.value().toLowerCase(Locale.ROOT).equals(without)
                            || isMeaningless(entry.name());
            if (!followed) {
                throw new UnsupportedS3Exception(entry.shown(), REMEDY);
            }
            if (kind.replacesVariables() && holdsVariable(entry)) {
                throw new UnsupportedS3Exception(
                        entry.shown() + ", in which the file system replaces " + VARIABLE + "...}",
                        "Set it to the value itself, or set state.changelog.dstl.dfs.s3.client to"
                                + " filesystem");
            }
        }
    }

    private static boolean holdsVariable(S3Keys.Entry entry) {
        return FOLLOWED.contains(entry.name())
                && !entry.name().startsWith(S3Keys.ENTROPY)
                && entry.value().contains(VARIABLE);
    }

    private static boolean isMeaningless(String name) {
        String family = name;
        while (!MEANINGLESS.contains(family)) {
            int dot = family.lastIndexOf('.');
            if (dot < 0) {
                return false;
            }
            family = family.substring(0, dot);
        }
        return true;
    }

    /**
     * @throws UnsupportedS3Exception if Flink fetches session tokens for its S3 file systems: only
     *     those get them
     */
    public static void checkTokens(Configuration config) throws UnsupportedS3Exception {
        for (String key : config.keySet()) {
            if (key.startsWith("security.delegation.token.provider.s3")
                    && key.endsWith(".access-key")) {
                throw new UnsupportedS3Exception(
                        key + " is set, and its tokens reach Flink's file systems only", REMEDY);
            }
        }
    }

    /** The direct client does not support a setting for S3: with key, value and remedy. */
    public static final class UnsupportedS3Exception extends Exception {

        private static final long serialVersionUID = 1L;

        /**
         * @param what key and value, without a secret
         * @param remedy a sentence without its full stop
         */
        public UnsupportedS3Exception(String what, String remedy) {
            super(what + ". " + remedy);
        }
    }
}
