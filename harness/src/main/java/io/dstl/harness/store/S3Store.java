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
package io.dstl.harness.store;

import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * An S3 server for one run, with one bucket in it. Thread-safe; up from the time its constructor
 * returns until it is closed. Closing twice is allowed; what it held is gone then.
 */
public interface S3Store extends AutoCloseable {

    /** With its secret, the same for each kind of server: only this machine can reach it. */
    String ACCESS_KEY = "dstl-e2e";

    String SECRET_KEY = "dstl-e2e-secret";

    /** What Flink is told to find a store at that address. */
    static Map<String, String> settings(URI endpoint) {
        return Map.of(
                "s3.endpoint", endpoint.toString(),
                "s3.access-key", ACCESS_KEY,
                "s3.secret-key", SECRET_KEY);
    }

    /** Where clients on this machine find it. */
    URI endpoint();

    /** What it is, for the reader of the run's output. */
    String description();

    @Override
    void close();

    /** The S3 servers that a run can use. */
    enum Kind {
        /** The first of the others that this machine has. */
        AUTO,
        MINIO_CONTAINER,
        MINIO,
        EMBEDDED;

        /** The name on the command line. */
        public String option() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** The kind of that name on the command line. */
        public static Kind of(String option) {
            for (Kind kind : values()) {
                if (kind.option().equals(option)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException(
                    "no store '"
                            + option
                            + "': choose one of auto, minio-container, minio, embedded");
        }

        /** Starts the server, with its files under the directory; empty of buckets. */
        public S3Store start(Path directory, Await await) throws IOException, InterruptedException {
            Optional<Path> binary =
                    ServerProcess.onPath("minio", System.getenv().getOrDefault("PATH", ""));
            switch (this) {
                case MINIO_CONTAINER:
                    return new MinioContainer(System.getenv());
                case MINIO:
                    Path found =
                            binary.orElseThrow(
                                    () ->
                                            new IOException(
                                                    "no minio on the PATH: install it or choose"
                                                            + " another --store"));
                    return new MinioProcess(found, directory, await);
                case EMBEDDED:
                    return new EmbeddedStore(directory);
                case AUTO:
                    return automatic(binary, directory, await);
                default:
                    throw new AssertionError(this);
            }
        }

        private static S3Store automatic(Optional<Path> binary, Path directory, Await await)
                throws IOException, InterruptedException {
            Kind withoutDocker = binary.isPresent() ? MINIO : EMBEDDED;
            if (!MinioContainer.available()) {
                return withoutDocker.start(directory, await);
            }
            if (MinioContainer.isAskedFor(System.getenv())) {
                return MINIO_CONTAINER.start(directory, await);
            }
            try {
                return MINIO_CONTAINER.start(directory, await);
            } catch (IllegalStateException e) {
                return new Substitute(withoutDocker.start(directory, await), e.getMessage());
            }
        }
    }

    /** A store in place of one that did not start. */
    final class Substitute implements S3Store {
        private final S3Store store;
        private final String reason;

        /**
         * @param store owned
         * @param reason why it is not another one
         */
        Substitute(S3Store store, String reason) {
            this.store = store;
            this.reason = reason;
        }

        @Override
        public URI endpoint() {
            return store.endpoint();
        }

        @Override
        public String description() {
            return store.description() + " (" + reason + ")";
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
