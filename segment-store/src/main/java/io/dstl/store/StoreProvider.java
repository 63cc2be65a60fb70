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
import java.util.Optional;
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
 * One kind of object store, with a client that accesses it directly, without Flink's file systems.
 * Any thread.
 */
public interface StoreProvider {

    /**
     * Whether the path is on such an object store: decided by its scheme, and by the path alone.
     * All paths of one scheme are accessed in one way.
     */
    boolean isOn(Path path);

    /**
     * @param config of the process, as the file systems have it
     * @param files serves the path in this process
     * @throws IllegalConfigurationException if the direct client is required and does not support
     *     the configuration; names key, value and remedy
     */
    Decision decide(ClientChoice choice, Configuration config, Path path, FileSystem files);

    /** The client for a path, and the reason: its text has both, for the log. Immutable. */
    interface Decision {

        /** If false, Flink's file system is used. */
        boolean isDirect();

        /**
         * Sends no request yet.
         *
         * @param requests runs the puts, each blocking a thread; grows with them, and takes them
         *     until the last has ended
         * @param timer keeps the time until credentials are renewed; does not block
         * @param random for the pauses of reads, from 0 (inclusive) to 1 (exclusive)
         * @throws IllegalArgumentException if the decision is not for the direct client
         */
        Access open(
                ExecutorService requests,
                ScheduledExecutorService timer,
                WallClock clock,
                DoubleSupplier random,
                Redaction redaction);
    }

    /** The direct client with its connections; closing it closes them when they are idle. */
    interface Access extends AutoCloseable {

        /**
         * @param uploads encodes segments
         */
        SegmentStore store(Path base, JobID job, Executor uploads);

        /**
         * Stores files on the object store itself, wherever the configuration applies that does to
         * this path; empty if the client cannot.
         *
         * @param late cuts off what is late: the caller stores it by another path
         */
        Optional<FileUploads> files(Path base, LateRequests late);

        /** Opens segments on the object store itself, and all others by Flink's file systems. */
        SegmentOpener opener();

        @Override
        void close();
    }

    /** The client that stores and reads segments on an object store that has a direct one. */
    enum ClientChoice {
        /** The direct one if it supports the configuration; if not, Flink's file system. */
        AUTO,

        /** The direct one only. */
        DIRECT,

        /** Flink's file system. */
        FILESYSTEM
    }
}
