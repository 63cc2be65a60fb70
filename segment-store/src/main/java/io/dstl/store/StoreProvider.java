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

import io.dstl.secret.Redaction;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * One kind of object store, and the client that goes to it directly, past Flink's file systems. Any
 * thread.
 */
public interface StoreProvider {

    /**
     * Whether the path is on such an object store: by its scheme, and by nothing but the path. What
     * is on it under one scheme is reached in one way.
     */
    boolean isOn(Path path);

    /**
     * @param config of the process: the file systems have theirs from it
     * @param files serves the path in this process
     * @throws IllegalConfigurationException if it has to be the direct client, and that cannot do
     *     what is configured; names key, value and remedy
     */
    Decision decide(ClientChoice choice, Configuration config, Path path, FileSystem files);

    /** Which client goes to a path, and why: its text says both, for the log. Immutable. */
    interface Decision {

        /** Else Flink's file system. */
        boolean isDirect();

        /**
         * Sends no request yet.
         *
         * @param requests runs the puts, each blocking a thread; grows with them, and takes them
         *     until the last has ended
         * @param timer keeps the time until credentials are renewed; does not block
         * @param random of the pauses of reads, from 0 (inclusive) to 1 (exclusive)
         * @throws IllegalArgumentException if it is not for the direct client
         */
        Access open(
                ExecutorService requests,
                ScheduledExecutorService timer,
                WallClock clock,
                DoubleSupplier random,
                Redaction redaction);
    }

    /** The direct client with its connections; closed with it when they are idle. */
    interface Access extends AutoCloseable {

        /**
         * @param uploads encodes segments
         */
        SegmentStore store(Path base, JobID job, Executor uploads);

        /** Opens what is on the object store by itself, and all else by Flink's file systems. */
        SegmentOpener opener();

        @Override
        void close();
    }

    /** Which client stores and reads segments on an object store that has a direct one. */
    public enum ClientChoice {
        /** The direct one, where it can do what is configured; else Flink's file system. */
        AUTO,

        /** The direct one, or nothing. */
        DIRECT,

        /** Flink's file system. */
        FILESYSTEM
    }
}
