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

/** Adds up the results of windows, and passes nothing on. */
final class WindowSum extends RunningTotals<long[]> {
    private static final long serialVersionUID = 1L;

    WindowSum(String results) {
        super(results, TotalsFile.STATE, 2);
    }

    @Override
    public void processElement(StreamRecord<long[]> window) {
        totals()[0] += window.getValue()[0];
        totals()[1] += window.getValue()[1];
    }
}
