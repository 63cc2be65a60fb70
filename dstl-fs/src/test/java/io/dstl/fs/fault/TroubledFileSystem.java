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
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystemKind;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * The local file system, with the {@link Trouble} of its authority: {@code troubled://<name>/path}.
 * What a storage sees of its store, whichever storage it is.
 */
final class TroubledFileSystem extends LocalFileSystem {

    static final String SCHEME = "troubled";

    private final URI uri;
    private final Trouble trouble;

    TroubledFileSystem(URI uri) {
        this.uri = URI.create(SCHEME + "://" + uri.getAuthority());
        this.trouble = Trouble.named(uri.getAuthority());
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        trouble.beforeCreate();
        return super.create(path, mode);
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        return trouble.watched(super.open(path));
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        trouble.beforeDelete();
        boolean deleted = super.delete(path, recursive);
        trouble.afterDelete();
        return deleted;
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
