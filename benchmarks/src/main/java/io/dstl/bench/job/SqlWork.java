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

import io.dstl.bench.job.TotalsFile.RunningTotals;
import io.dstl.bench.job.Updates.Payload;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * A query with two top-1 ranks and a regular join, as Flink's planner makes it. Each update
 * replaces what its key has on its side, and with it the row that both sides make.
 */
final class SqlWork {
    private static final String UPDATES = "updates";
    private static final String[] COLUMNS = {"side", "k", "number", "content"};

    private SqlWork() {}

    static DataStream<Long> on(DataStream<Long> updates, JobArguments arguments) {
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(updates.getExecutionEnvironment());
        tables.createTemporaryView(UPDATES, rows(updates, arguments));
        Table pairs =
                tables.sqlQuery(
                        "SELECT l.k, l.content, r.content FROM ("
                                + latest(0)
                                + ") AS l JOIN ("
                                + latest(1)
                                + ") AS r ON l.k = r.k");
        return tables.toChangelogStream(pairs)
                .transform("sum", Types.LONG, new PairSum(arguments.results()));
    }

    private static String latest(int side) {
        return "SELECT k, content FROM ("
                + "SELECT k, content,"
                + " ROW_NUMBER() OVER (PARTITION BY k ORDER BY number DESC) AS place"
                + " FROM "
                + UPDATES
                + " WHERE side = "
                + side
                + ") WHERE place = 1";
    }

    private static DataStream<Row> rows(DataStream<Long> updates, JobArguments arguments) {
        Updates all = arguments.updates();
        int bytes = arguments.valueBytes();
        return updates.map(
                        update ->
                                Row.of(
                                        StateModel.side(update),
                                        all.key(update),
                                        Updates.sequence(update),
                                        Payload.of(update, bytes)))
                .returns(
                        Types.ROW_NAMED(
                                COLUMNS,
                                Types.INT,
                                Types.LONG,
                                Types.LONG,
                                Types.PRIMITIVE_ARRAY(Types.BYTE)))
                .setParallelism(Updates.SPLITS);
    }

    /** How many pairs the result has, and what they come to: each row adds, or takes back. */
    static final class PairSum extends RunningTotals<Row> {
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
}
