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

import io.dstl.secret.Redaction;
import io.dstl.store.SegmentDirectory;
import io.dstl.store.StoreProvider;
import io.dstl.store.StoreProvider.ClientChoice;
import io.dstl.store.WallClock;
import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.LimitedConnectionsFileSystem;
import org.apache.flink.core.fs.Path;

/** S3, and stores with its protocol. */
public final class S3Provider implements StoreProvider {

    @Override
    public boolean isOn(Path path) {
        return S3Object.isOnS3(path);
    }

    @Override
    public Decision decide(ClientChoice choice, Configuration config, Path path, FileSystem files) {
        String name = SegmentDirectory.innermost(files).getClass().getName();
        return S3Decision.of(choice, config, path, name, S3Environment.ofProcess());
    }

    /** The client for a path, and the reason. Immutable. */
    static final class S3Decision implements StoreProvider.Decision {

        /** The option that makes the choice. */
        private static final String CLIENT = "state.changelog.dstl.dfs.s3.client";

        /** How the direct client connects to S3; empty if Flink's file system does. */
        private final Optional<S3Settings> direct;

        private final String reason;

        private S3Decision(Optional<S3Settings> direct, String reason) {
            this.direct = direct;
            this.reason = reason;
        }

        /**
         * @param files the class of the file system
         */
        static S3Decision of(
                ClientChoice choice,
                Configuration config,
                Path path,
                String files,
                S3Environment environment) {
            if (!S3Object.isOnS3(path)) {
                return new S3Decision(Optional.empty(), "the path is not on S3");
            }
            if (choice == ClientChoice.FILESYSTEM) {
                return new S3Decision(Optional.empty(), CLIENT + " is filesystem");
            }
            try {
                if (S3Object.hasCredentials(path)) {
                    throw new UnsupportedS3Exception(
                            "the path holds credentials",
                            "Take them out of it, and set s3.access-key and s3.secret-key");
                }
                S3Settings settings = S3Settings.from(config, kind(files), environment);
                return new S3Decision(Optional.of(settings), settings.toString());
            } catch (UnsupportedS3Exception e) {
                if (choice == ClientChoice.DIRECT) {
                    throw refusal(e);
                }
                return new S3Decision(
                        Optional.empty(), "the direct S3 client cannot follow: " + e.getMessage());
            }
        }

        private static S3FileSystemKind kind(String files) throws UnsupportedS3Exception {
            if (files.equals(LimitedConnectionsFileSystem.class.getName())) {
                throw new UnsupportedS3Exception(
                        "Flink limits the connections of this file system, by fs.<scheme>.limit.*",
                        "Remove these keys, and set s3.connection.maximum");
            }
            Optional<S3FileSystemKind> kind = S3FileSystemKind.of(files);
            if (!kind.isPresent()) {
                throw new UnsupportedS3Exception(
                        "the file system is "
                                + files
                                + ", and what configures it is not known here",
                        "Put Flink's plugin for S3 into plugins/, or set "
                                + CLIENT
                                + " to filesystem");
            }
            return kind.get();
        }

        private static IllegalConfigurationException refusal(UnsupportedS3Exception cause) {
            return new IllegalConfigurationException(
                    CLIENT + " is direct, which cannot work: " + cause.getMessage() + ".");
        }

        @Override
        public S3Access open(
                ExecutorService requests,
                ScheduledExecutorService timer,
                WallClock clock,
                DoubleSupplier random,
                Redaction redaction) {
            S3Settings settings =
                    direct.orElseThrow(() -> new IllegalArgumentException(toString()));
            return S3Access.open(
                    settings, requests, timer, clock, Retries.blocking(random, clock), redaction);
        }

        @Override
        public boolean isDirect() {
            return direct.isPresent();
        }

        /** For the log: the client, and where it connects to or why it was chosen. */
        @Override
        public String toString() {
            return (isDirect() ? "the direct S3 client" : "Flink's file system")
                    + " ("
                    + reason
                    + ")";
        }
    }
}
