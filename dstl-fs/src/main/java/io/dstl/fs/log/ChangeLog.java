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
package io.dstl.fs.log;

import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;

/**
 * The log of one keyed state backend in dstl's storage: Flink's contract, and an appender that
 * takes records without a copy.
 *
 * <p>A backend that knows this type appends by {@link ChangeAppender}; one that does not (Flink's
 * own, through the plugin) calls {@link #append(int, byte[])} and {@link #appendMeta(byte[])},
 * which write the same log.
 *
 * <p>All methods but {@link #endWaits()} are called by the task thread. A call after close throws,
 * but for {@link #dropRecord}, which then does nothing.
 */
public interface ChangeLog
        extends StateChangelogWriter<ChangelogStateHandleStreamImpl>, ChangeAppender {

    /**
     * The task is being cancelled: current and later waits of its thread for changes to be stored
     * end with an error at once. Any thread.
     */
    void endWaits();

    /**
     * The JobManager has subsumed this checkpoint: all checkpoints that it retains, now or later,
     * are higher. Unlike an abort, this allows the deletion of segments that aborted ones listed.
     *
     * @param checkpointId inclusive
     */
    void subsumed(long checkpointId);
}
