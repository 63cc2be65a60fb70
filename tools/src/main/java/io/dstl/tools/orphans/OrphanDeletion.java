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
package io.dstl.tools.orphans;

import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.util.function.BiConsumerWithException;

/** Deletes files, several at a time: one by one those of a large job take hours. For one thread. */
final class OrphanDeletion {
    private final int threads;
    private final Progress progress;

    OrphanDeletion(int threads, Progress progress) {
        this.threads = threads;
        this.progress = progress;
    }

    /**
     * Tries to delete each of them.
     *
     * @param taker takes each, in their order, with what went wrong, if anything did; on the
     *     caller's thread
     * @throws Exception the taker's: the deletions that have begun by then may go on, and are not
     *     told of
     */
    void delete(
            List<StoredFile> files,
            BiConsumerWithException<StoredFile, Optional<Exception>, Exception> taker)
            throws Exception {
        progress.begin("Deleted: %,d of the next %,d orphans", files.size(), 0);
        try (ParallelWork work = new ParallelWork("orphans", threads, progress)) {
            work.forEach(
                    files.iterator(),
                    file -> failureOf(file.path),
                    (file, failure) -> {
                        progress.done(0);
                        taker.accept(file, failure);
                    });
        }
    }

    private static Optional<Exception> failureOf(Path path) {
        try {
            delete(path);
            return Optional.empty();
        } catch (Exception e) {
            return Optional.of(e);
        }
    }

    /**
     * A file that is gone already counts as deleted.
     *
     * @throws IOException also where the file system only says that it has not deleted it, as that
     *     of this machine does where the user must not write to the directory
     */
    static void delete(Path path) throws IOException {
        FileSystem fileSystem = path.getFileSystem();
        if (!fileSystem.delete(path, false) && fileSystem.exists(path)) {
            throw new IOException("the file system has not deleted it, and gives no reason");
        }
    }
}
