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
package io.dstl.changelog.keyed;

import io.dstl.store.FileUploads;
import io.dstl.store.LateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Keeps what it stores, unless it is to fail. */
final class ScriptedUploads implements FileUploads {
    static final int MOST = 300_000;

    final Map<Path, byte[]> stored = new HashMap<>();
    Optional<IOException> failure = Optional.empty();
    AutoCloseable whileStoring = () -> {};
    boolean reached = true;
    boolean late;
    int begun;
    int closed;

    @Override
    public boolean reaches(Path directory) {
        return reached && directory.toString().endsWith("/taskowned");
    }

    @Override
    public long maxBytes() {
        return MOST;
    }

    @Override
    public FileUpload upload(Path target, FileChannel content, Runnable progress) {
        begun++;
        return new FileUpload() {
            @Override
            public FileStateHandle storeUnlessLate() throws IOException {
                FileStateHandle handle = store();
                if (late) {
                    late = false;
                    throw new LateException();
                }
                return handle;
            }

            @Override
            public FileStateHandle store() throws IOException {
                ByteBuffer bytes = ByteBuffer.allocate(MOST);
                while (content.read(bytes, bytes.position()) > 0) {
                    progress.run();
                }
                try {
                    whileStoring.close();
                } catch (Exception e) {
                    throw new IOException(e);
                }
                if (failure.isPresent()) {
                    throw failure.get();
                }
                stored.put(target, Arrays.copyOf(bytes.array(), bytes.position()));
                return new FileStateHandle(target, bytes.position());
            }

            @Override
            public void close() {
                closed++;
            }
        };
    }
}
