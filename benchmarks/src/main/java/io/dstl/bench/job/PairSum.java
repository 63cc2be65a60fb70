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
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** How many pairs the result has, and what they come to: each row adds, or takes back. */
final class PairSum extends RunningTotals<Row> {
    private static final long serialVersionUID = 1L;

    PairSum(String results) {
        super(results, TotalsFile.STATE, 2);
    }

    @Override
    public void processElement(StreamRecord<Row> change) {
        Row row = change.getValue();
        RowKind kind = row.getKind();
        int sign = kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER ? 1 : -1;
        long left = Payload.update((byte[]) row.getField(1));
        long right = Payload.update((byte[]) row.getField(2));
        totals()[0] += sign;
        totals()[1] += sign * StateModel.pair((Long) row.getField(0), left, right);
    }
}
