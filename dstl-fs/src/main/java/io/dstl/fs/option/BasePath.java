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
package io.dstl.fs.option;

import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;

/** The directory of the log, checked as far as possible without a request. */
public final class BasePath {

    private static final String REMEDY =
            "Set it to a directory that all TaskManagers and the JobManager reach, such as"
                    + " s3://bucket/changelog";

    /** Schemes that need a bucket: the file system's own configuration seldom names one. */
    private static final Set<String> S3_SCHEMES = Set.of("s3", "s3a", "s3n", "s3p");

    private final String key;
    private final Path path;

    private BasePath(String key, Path path) {
        this.key = key;
        this.path = path;
    }

    /** Returns some path in any case; an unusable one has been reported. */
    static BasePath from(OptionCheck check) {
        String key = check.key(DstlOptions.BASE_PATH);
        String value = check.read(DstlOptions.BASE_PATH, "the URI of a directory");
        BasePath none = new BasePath(key, new Path("/"));
        if (value == null || value.trim().isEmpty()) {
            check.report().missing(key, "the changelog has nowhere to go. " + REMEDY);
            return none;
        }
        BasePath base;
        try {
            base = new BasePath(key, new Path(value.trim()));
        } catch (IllegalArgumentException e) {
            check.refuse(DstlOptions.BASE_PATH, value, "it is no URI. " + REMEDY);
            return none;
        }
        base.check(check);
        return base;
    }

    private void check(OptionCheck check) {
        URI uri = path.toUri();
        String authority = uri.getRawAuthority();
        if (S3_SCHEMES.contains(scheme()) && (authority == null || authority.isEmpty())) {
            check.warn(
                    DstlOptions.BASE_PATH,
                    path,
                    "it names no bucket, and works only where fs.defaultFS does. " + REMEDY);
        }
        if (!Redacted.text(path.toString()).equals(path.toString())) {
            check.warn(
                    DstlOptions.BASE_PATH,
                    path,
                    "it holds credentials, and each checkpoint's metadata will hold them in"
                            + " plain text with the names of the segments. Take them out,"
                            + " and give them to the file system by its own keys, such as"
                            + " s3.access-key and s3.secret-key");
        }
        warnIfLocal(check);
    }

    private void warnIfLocal(OptionCheck check) {
        String checkpoints =
                check.read(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "the URI of a directory");
        if (isLocal() && checkpoints != null && !isLocal(checkpoints)) {
            check.warn(
                    DstlOptions.BASE_PATH,
                    path,
                    "the log is on this machine's disk, while "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                            + " is "
                            + Redacted.text(checkpoints)
                            + ", and a checkpoint is lost with its log. Set it to a"
                            + " directory on the store of the checkpoints, unless this is"
                            + " a disk that all machines have mounted");
        }
    }

    private static boolean isLocal(String path) {
        int colon = path.indexOf(':');
        return colon < 0 || path.toLowerCase(Locale.ROOT).startsWith("file:");
    }

    private boolean isLocal() {
        return scheme().equals("file");
    }

    private String scheme() {
        String scheme = path.toUri().getScheme();
        return (scheme == null ? FileSystem.getDefaultFsUri().getScheme() : scheme)
                .toLowerCase(Locale.ROOT);
    }

    public Path path() {
        return path;
    }

    /**
     * @throws IllegalConfigurationException if this process has no file system for the path
     * @throws IOException if there is one, and it does not start: maybe later it does
     */
    public FileSystem fileSystem() throws IOException {
        try {
            return FileSystem.getUnguardedFileSystem(path.toUri());
        } catch (UnsupportedFileSystemSchemeException e) {
            throw refuse("put the file system's plugin into plugins/ of every machine", e);
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    refusal("its file system does not start", e), Redaction.OF_URIS.failure(e));
        }
    }

    private IllegalConfigurationException refuse(String remedy, IOException cause) {
        return new IllegalConfigurationException(
                refusal(remedy, cause), Redaction.OF_URIS.failure(cause));
    }

    private String refusal(String remedy, Exception cause) {
        String message = Redaction.OF_URIS.failure(cause).getMessage();
        return OptionReport.refusal(key, path, remedy + ". " + withoutFullStop(message));
    }

    private static String withoutFullStop(String message) {
        return message != null && message.endsWith(".")
                ? message.substring(0, message.length() - 1)
                : message;
    }

    /** Without credentials. */
    @Override
    public String toString() {
        return Redacted.text(path.toString());
    }
}
