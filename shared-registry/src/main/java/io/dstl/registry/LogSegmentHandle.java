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
package io.dstl.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.ObjectStreamException;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * A segment, or a file of a materialization, as listed by a checkpoint. To all of Flink it is the
 * {@link FileStateHandle} that it extends: the same identity, the same in a checkpoint's metadata.
 * Only the JobManager that has received it deletes it in another way.
 *
 * <p><b>Why.</b> Flink's JobManager deletes shared state on its one pool of I/O threads ({@code
 * jobmanager.io-pool.size}), first come, first served, and the same threads place the next
 * checkpoint, take its acknowledgements and complete it. After a truncation of a thousand segments
 * all of these wait until the last segment is deleted.
 *
 * <p><b>On the JobManager</b> {@link #discardState} leaves the deletion to {@link
 * JobManagerDeletions} and, but for one caller, returns at once. <b>On the TaskManager</b> that
 * created it, it deletes and throws as {@link FileStateHandle} does.
 *
 * <p><b>Serialized</b> twice, it is a {@link FileStateHandle}: a process without this class, even
 * after the jar has been removed, can read what the JobManager keeps for high availability. Such a
 * process deletes the segment in Flink's way.
 */
public final class LogSegmentHandle extends FileStateHandle {

    private static final long serialVersionUID = 1L;

    /**
     * Whether this is the JobManager's: it was serialized once. So is a local snapshot that a
     * TaskManager reads back from its disk, but nothing deletes its segments.
     */
    private final transient boolean received;

    private LogSegmentHandle(FileStateHandle segment) {
        super(segment.getFilePath(), segment.getStateSize());
        this.received = false;
    }

    private LogSegmentHandle(Path path, long bytes) {
        super(path, bytes);
        this.received = true;
    }

    /**
     * The handle to list in a checkpoint. Returns the same handle if it is of another kind, or if
     * the JobManager may not know this class, as it comes from a plugin or from a job's own jar.
     */
    public static StreamStateHandle of(StreamStateHandle segment) {
        return segment.getClass() == FileStateHandle.class
                        && LogSegmentHandle.class.getClassLoader()
                                == FileStateHandle.class.getClassLoader()
                ? new LogSegmentHandle((FileStateHandle) segment)
                : segment;
    }

    /**
     * Deletes the segment; on the JobManager on another thread, with retries.
     *
     * @throws Exception if the segment is, or may be, still there, and nobody tries again
     */
    @Override
    public void discardState() throws Exception {
        if (received) {
            JobManagerDeletions.ofThisProcess().delete(this);
        } else {
            deleteNow();
        }
    }

    /**
     * Deletes the segment on the caller's thread. A missing segment is no failure.
     *
     * @throws Exception if it is, or may be, still there
     */
    void deleteNow() throws Exception {
        super.discardState();
    }

    private Object readResolve() throws ObjectStreamException {
        return new LogSegmentHandle(ReceivedPaths.once(getFilePath()), getStateSize());
    }

    private Object writeReplace() {
        return received ? new FileStateHandle(getFilePath(), getStateSize()) : this;
    }

    /**
     * The paths of segments that this process has received, each once. All tasks of a TaskManager
     * list the same segments, in each of their checkpoints; a path takes more memory by far than
     * the rest of a handle. The handles stay apart: Flink's registry logs a line for each handle
     * that it is given again.
     */
    private static final class ReceivedPaths {

        @GuardedBy("PATHS")
        private static final Map<Path, WeakReference<Path>> PATHS = new WeakHashMap<>();

        private ReceivedPaths() {}

        static Path once(Path path) {
            synchronized (PATHS) {
                WeakReference<Path> known = PATHS.get(path);
                Path first = known == null ? null : known.get();
                if (first == null) {
                    PATHS.put(path, new WeakReference<>(path));
                    return path;
                }
                return first;
            }
        }
    }
}
