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

/**
 * Time that stands still until the {@linkplain LeapSignal signal} is given, leaps to the updates of
 * that moment, and goes on with them from then on: what a source does that was idle for long.
 */
final class LeapTime {
    private LeapTime() {}

    /**
     * @param directory where to look for the signal
     */
    static WatermarkStrategy<Long> strategy(String directory) {
        return WatermarkStrategy.<Long>forGenerator(context -> new Generator(directory))
                .withTimestampAssigner((update, before) -> Updates.sequence(update));
    }

    private static final class Generator implements WatermarkGenerator<Long> {
        private final Path directory;
        private long latest = Long.MIN_VALUE;
        private boolean leaped;

        Generator(String directory) {
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
