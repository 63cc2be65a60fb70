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
package io.dstl.tools.checkpoint;

import io.dstl.secret.Redaction.Redacted;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/** Lists directories of any file system. */
public final class Directory {
    private Directory() {}

    /** Whether it is a symbolic link, which only a file system of this machine has. */
    public static boolean isLink(Path path) throws IOException {
        return !path.getFileSystem().isDistributedFS()
                && Files.isSymbolicLink(Paths.get(path.getPath()));
    }

    /**
     * Whether a file that was there is not any more: a job that goes on deletes its checkpoints
     * when newer ones have completed, and segments that none of them needs. False where nobody can
     * tell.
     */
    public static boolean isGone(Path file) {
        try {
            file.getFileSystem().getFileStatus(file);
            return false;
        } catch (FileNotFoundException e) {
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** Flink's local file system lists one that cannot be read as one that is not there. */
    private static void checkMissing(Path directory) throws IOException {
        boolean missing =
                directory.getFileSystem().isDistributedFS()
                        ? isGone(directory)
                        : Files.notExists(Paths.get(directory.getPath()));
        if (!missing) {
            throw new IOException(
                    "Cannot list "
                            + Redacted.of(directory)
                            + ": see that it can be read, by this user and at this moment");
        }
    }

    /**
     * What is in a directory, by name; nothing where there is none. An object store has no
     * directories, only names that begin alike, so the two are the same.
     */
    public static List<FileStatus> list(Path directory) throws IOException {
        FileStatus[] found;
        try {
            found = directory.getFileSystem().listStatus(directory);
        } catch (FileNotFoundException e) {
            return Collections.emptyList();
        }
        if (found == null) {
            checkMissing(directory);
            return Collections.emptyList();
        }
        List<FileStatus> entries = new ArrayList<>(Arrays.asList(found));
        entries.sort(Comparator.comparing(entry -> entry.getPath().getName()));
        return entries;
    }
}
