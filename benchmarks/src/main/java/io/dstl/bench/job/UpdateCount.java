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

import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Counts the updates of each split as they leave the source. */
final class UpdateCount extends RunningTotals<Long> {
    private static final long serialVersionUID = 1L;

    UpdateCount(String results) {
        super(results, TotalsFile.UPDATES, Updates.SPLITS);
    }

    @Override
    public void processElement(StreamRecord<Long> update) {
        totals()[Updates.split(update.getValue())]++;
        output.collect(update);
    }
}
