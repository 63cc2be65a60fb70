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

import java.nio.file.Path;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** When each update is said to have happened: in each split one after the other. */
final class EventTime {
    private static final long MILLIS_PER_SECOND = 1000;

    /** At full speed time runs ahead of the clock by as much as the job is faster than that. */
    private static final int NOMINAL_RATE = 10_000;

    private EventTime() {}

    /**
     * Time that passes evenly.
     *
     * @param rate of all splits together, per second; 0 where there is no limit
     */
    static WatermarkStrategy<Long> even(int rate) {
        long perSecond = rate == 0 ? NOMINAL_RATE : rate;
        return WatermarkStrategy.<Long>forMonotonousTimestamps()
                .withTimestampAssigner((update, before) -> millis(update, perSecond));
    }

    private static long millis(long update, long perSecond) {
        return Updates.sequence(update) * Updates.SPLITS * MILLIS_PER_SECOND / perSecond;
    }

    /**
     * Time that stands still until {@link LeapSignal#give} is called, leaps to the updates of that
     * moment, and goes on with them from then on: what a source does that was idle for long.
     *
     * @param directory where to look for the signal
     */
    static WatermarkStrategy<Long> leaping(String directory) {
        return WatermarkStrategy.<Long>forGenerator(context -> new Leaping(directory))
                .withTimestampAssigner((update, before) -> Updates.sequence(update));
    }

    private static final class Leaping implements WatermarkGenerator<Long> {
        private final Path directory;
        private long latest = Long.MIN_VALUE;
        private boolean leaped;

        Leaping(String directory) {
            this.directory = Path.of(directory);
        }

        @Override
        public void onEvent(Long update, long time, WatermarkOutput output) {
            latest = time;
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            leaped |= LeapSignal.isGiven(directory);
            if (leaped) {
                output.emitWatermark(new Watermark(latest));
            }
        }
    }
}
