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
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.FileSystemKind;
import org.apache.flink.core.fs.Path;

/**
 * Local files behind URIs with credentials ({@code leaky://user:password@host/path}), which fails
 * when asked to, with messages that hold the URI and whatever else it is told to put into them.
 */
public final class LeakyFileSystem extends FileSystem {

    enum Action {
        WRITE,
        READ,
        DELETE
    }

    static final String SCHEME = "leaky";

    private static final Map<Action, AtomicInteger> FAILURES = new EnumMap<>(Action.class);
    private static volatile String indiscretion = "";

    private final FileSystem files = FileSystem.getLocalFileSystem();
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

    private Path local(Action action, Path path) throws IOException {
        if (FAILURES.get(action).getAndDecrement() > 0) {
            IOException failure =
                    new IOException(
                            action + " of " + path + " denied",
                            new IllegalStateException(uri + " says: " + indiscretion));
            failure.addSuppressed(new IOException("Retried " + path + " with " + indiscretion));
            throw failure;
        }
        return local(path);
    }

    private static Path local(Path path) {
        return new Path("file://" + path.toUri().getPath());
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        return files.create(local(Action.WRITE, path), mode);
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        return files.open(local(Action.READ, path));
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return files.delete(local(Action.DELETE, path), recursive);
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
        return files.mkdirs(local(path));
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        return files.rename(local(from), local(to));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return files.getFileStatus(local(path));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return files.listStatus(local(path));
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
            throws IOException {
        return files.getFileBlockLocations(file, start, length);
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path(uri);
    }

    @Override
    public Path getHomeDirectory() {
        return new Path(uri);
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    public boolean isDistributedFS() {
        return true;
    }

    @Override
    @Deprecated
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
