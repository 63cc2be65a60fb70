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
package io.dstl.changelog.option;

import java.io.IOException;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.FileSystemKind;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * Local files behind URIs with credentials ({@code leaky://user:password@host/path}), which fails
 * when asked to, with messages that hold the URI and whatever else it is told to put into them.
 */
public final class LeakyFileSystem extends LocalFileSystem {
    enum Action {
        WRITE,
        READ,
        DELETE
    }

    static final String SCHEME = "leaky";

    private static final Map<Action, AtomicInteger> FAILURES = new EnumMap<>(Action.class);
    private static volatile String indiscretion = "";

    private final URI uri;

    private LeakyFileSystem(URI uri) {
        this.uri = uri;
    }

    /** So many failures of each action from now on. */
    static void fail(int writes, int reads, int deletes, String saying) {
        FAILURES.put(Action.WRITE, new AtomicInteger(writes));
        FAILURES.put(Action.READ, new AtomicInteger(reads));
        FAILURES.put(Action.DELETE, new AtomicInteger(deletes));
        indiscretion = saying;
    }

    /** Failures that were asked for and have not come yet. */
    static int failuresToCome(Action action) {
        return Math.max(0, FAILURES.get(action).get());
    }

    private void mayFail(Action action, Path path) throws IOException {
        if (FAILURES.get(action).getAndDecrement() > 0) {
            IOException failure =
                    new IOException(
                            action + " of " + path + " denied",
                            new IllegalStateException(uri + " says: " + indiscretion));
            failure.addSuppressed(new IOException("Retried " + path + " with " + indiscretion));
            throw failure;
        }
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        mayFail(Action.WRITE, path);
        return super.create(path, mode);
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        mayFail(Action.READ, path);
        return super.open(path);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        mayFail(Action.DELETE, path);
        return super.delete(path, recursive);
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    public boolean isDistributedFS() {
        return true;
    }

    /** Flink 1 asks for it, and Flink 2 has none. */
    @Deprecated
    @SuppressWarnings("MissingOverride")
    public FileSystemKind getKind() {
        return FileSystemKind.OBJECT_STORE;
    }

    /** Found as a service. */
    public static final class Factory implements FileSystemFactory {
        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public void configure(Configuration config) {}

        @Override
        public FileSystem create(URI uri) {
            return new LeakyFileSystem(uri);
        }
    }
}
