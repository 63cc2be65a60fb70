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
package io.dstl.changelog.delegate;

import java.util.Collection;

/**
 * Writes what a delegate has in memory to its files, ahead of a snapshot. A snapshot does so as
 * well, on the task thread: what is left for it then is what has been written meanwhile.
 *
 * <p>Threading: the task thread, but for what {@link #flush} returns, which any thread may run.
 */
public interface Memtables extends AutoCloseable {

    /**
     * What flushes the given states. It takes as long as the disk needs, and waits before that for
     * as long as flushing at once would make the task's writes stall.
     *
     * @param states names of states and queues; those that are kept elsewhere are left out
     */
    Runnable flush(Collection<String> states);

    /** Waits for the end of a flush that runs, and lets none begin any more. */
    @Override
    void close();
}
