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

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Stores local files as objects by a direct client, without Flink's file systems: for what is too
 * large to be in memory. Any thread.
 */
public interface FileUploads {

    /** Whether files can be stored in this directory. */
    boolean reaches(Path directory);

    /** Of the largest file that can be stored. */
    long maxBytes();

    /**
     * Sends no request yet.
     *
     * @param target no other object has had this path
     * @param content stored as a whole; does not change until the upload has ended. Not closed
     * @param progress runs each time the transport has taken bytes; must not block
     */
    FileUpload upload(Path target, FileChannel content, Runnable progress);

    /** Stores one file. Used by one thread, but for {@link #close}. */
    interface FileUpload extends Closeable {

        /**
         * As {@link #store}, but may give up early: of the two, one is called, once.
         *
         * @throws LateException if a request made no progress for long, compared with those for
         *     other files: store the file by another path, as it may be stored by this one
         */
        FileStateHandle storeUnlessLate() throws IOException;

        /**
         * Blocks until the file is stored. Tries up to ten times, with pauses of a minute in all.
         * Called once.
         *
         * @throws IOException if the file is not stored, or only perhaps; it names the object. If
         *     the store would refuse it again, {@link RefusedException#isIn} tells.
         */
        FileStateHandle store() throws IOException;

        /** Ends {@link #store} early: then it throws, or is about to return. Any thread. */
        @Override
        void close();
    }
}
