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
package io.dstl.fs.fault;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemKind;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * The local file system, with the {@link Trouble} of its authority: {@code troubled://<name>/path}.
 * What a storage sees of its store, whichever storage it is.
 */
final class TroubledFileSystem extends FileSystem {

    static final String SCHEME = "troubled";

    private final URI uri;
    private final Trouble trouble;
    private final LocalFileSystem files = new LocalFileSystem();

    TroubledFileSystem(URI uri) {
        this.uri = URI.create(SCHEME + "://" + uri.getAuthority());
        this.trouble = Trouble.named(uri.getAuthority());
    }

    private static Path local(Path path) {
        return new Path("file", null, path.getPath());
    }

    private Path troubled(Path path) {
        return new Path(uri.getScheme(), uri.getAuthority(), path.getPath());
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        trouble.beforeCreate();
        return files.create(local(path), mode);
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        return trouble.watched(files.open(local(path)));
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        boolean deleted = files.delete(local(path), recursive);
        trouble.afterDelete();
        return deleted;
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
        return troubled(files.getWorkingDirectory());
    }

    @Override
    public Path getHomeDirectory() {
        return troubled(files.getHomeDirectory());
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    @SuppressWarnings("deprecation")
    public FileSystemKind getKind() {
        return FileSystemKind.OBJECT_STORE;
    }

    @Override
    public boolean isDistributedFS() {
        return true;
    }
}
