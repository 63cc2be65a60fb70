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
package io.dstl.bench.job;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** When each update is said to have happened: in each split one after the other, evenly. */
final class EventTime {
    private static final long MILLIS_PER_SECOND = 1000;

    /** At full speed time runs ahead of the clock by as much as the job is faster than that. */
    private static final int NOMINAL_RATE = 10_000;

    private EventTime() {}

    /**
     * @param rate of all splits together, per second; 0 where there is no limit
     */
    static WatermarkStrategy<Long> strategy(int rate) {
        long perSecond = rate == 0 ? NOMINAL_RATE : rate;
        return WatermarkStrategy.<Long>forMonotonousTimestamps()
                .withTimestampAssigner((update, before) -> millis(update, perSecond));
    }

    private static long millis(long update, long perSecond) {
        return Updates.sequence(update) * Updates.SPLITS * MILLIS_PER_SECOND / perSecond;
    }
}
