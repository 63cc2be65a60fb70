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
package io.dstl.materializer;

/**
 * The size of one keyed backend's checkpoint, in bytes. The log counts without compression, as in
 * Flink.
 */
public final class LogSize {

    private final long log;
    private final long leastLog;
    private final long materialized;

    /**
     * @param log not negative; restored logs that are still listed included. After a change of
     *     parallelism they do not count, as Flink keeps no size of their parts
     * @param leastLog not negative; the log in the first checkpoint on the current base: changes
     *     during the upload of the base, and the timers of the heap, which every materialization
     *     writes to the log
     * @param materialized not negative; all files of the base, including those written earlier
     */
    public LogSize(long log, long leastLog, long materialized) {
        if (log < 0 || leastLog < 0 || materialized < 0) {
            throw new IllegalArgumentException(
                    "A size is not negative: log "
                            + log
                            + ", least log "
                            + leastLog
                            + ", materialized "
                            + materialized);
        }
        this.log = log;
        this.leastLog = leastLog;
        this.materialized = materialized;
    }

    public long log() {
        return log;
    }

    public long leastLog() {
        return leastLog;
    }

    public long materialized() {
        return materialized;
    }

    @Override
    public String toString() {
        return log + " bytes of log on " + materialized + " bytes materialized";
    }
}
