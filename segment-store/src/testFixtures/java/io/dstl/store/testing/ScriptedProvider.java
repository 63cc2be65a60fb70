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
package io.dstl.store.testing;

import io.dstl.secret.Redaction;
import io.dstl.store.FileUploads;
import io.dstl.store.LateRequests;
import io.dstl.store.SegmentOpener;
import io.dstl.store.SegmentStore;
import io.dstl.store.StoreProvider;
import io.dstl.store.WallClock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * The object store of some schemes. Its direct client, which is used unless Flink's file system is
 * chosen, stores to a {@link ScriptedStore}; what it opens is noted, and has no content.
 */
public final class ScriptedProvider implements StoreProvider {

    private final List<String> schemes;
    private final ScriptedStore store = new ScriptedStore();
    private final List<String> opened = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    public ScriptedProvider(String... schemes) {
        this.schemes = List.of(schemes);
    }

    /** Where the direct client stores. */
    public ScriptedStore store() {
        return store;
    }

    /** The paths that the direct client has opened, without their schemes. */
    public List<String> opened() {
        return List.copyOf(opened);
    }

    /** Whether the direct client was closed. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isOn(Path path) {
        return schemes.contains(path.toUri().getScheme());
    }

    @Override
    public Decision decide(ClientChoice choice, Configuration config, Path path, FileSystem files) {
        return new ScriptedClient(choice != ClientChoice.FILESYSTEM);
    }

    /** The direct client, or the decision against it. */
    private final class ScriptedClient implements Decision, Access {

        private final boolean direct;

        ScriptedClient(boolean direct) {
            this.direct = direct;
        }

        @Override
        public boolean isDirect() {
            return direct;
        }

        @Override
        public Access open(
                ExecutorService requests,
                ScheduledExecutorService timer,
                WallClock clock,
                DoubleSupplier random,
                Redaction redaction) {
            if (!direct) {
                throw new AssertionError("the direct client is not to be used");
            }
            return this;
        }

        @Override
        public SegmentStore store(Path base, JobID job, Executor uploads) {
            return store;
        }

        @Override
        public Optional<FileUploads> files(Path base, LateRequests late) {
            return Optional.empty();
        }

        @Override
        public SegmentOpener opener() {
            return segment -> {
                opened.add(((FileStateHandle) segment).getFilePath().getPath());
                return null;
            };
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public String toString() {
            return (direct ? "the direct client" : "Flink's file system") + " for " + schemes;
        }
    }
}
