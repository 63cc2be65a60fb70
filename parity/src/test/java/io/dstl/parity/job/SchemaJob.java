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
package io.dstl.parity.job;

import io.dstl.parity.model.Event;
import io.dstl.parity.model.Script;
import io.dstl.parity.state.SchemaVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.formats.avro.typeutils.GenericRecordAvroTypeInfo;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** A job whose states have types that change from one version of the job to the next. */
public final class SchemaJob {

    /** No account has the field that the next version adds. */
    public static final int NEVER = -1;

    static final String NAME = "schema";

    private SchemaJob() {}

    public static void build(StreamExecutionEnvironment env, String version, int addedSince) {
        States states = new States(SchemaVersion.valueOf(version), addedSince);
        ParityJob.named(NAME, ParityJob.lanes(env).process(states, Types.VOID));
    }

    /** What the keys' audits must find once all rounds before the given one are over. */
    public static Map<String, String> expectedContent(int endRound, int addedSince) {
        Map<String, String> expected = new TreeMap<>();
        for (String key : Script.keys()) {
            long ordinal = Script.ordinalBefore(key, endRound);
            expected.put(NAME + " " + key, expected(key, ordinal, addedSince));
        }
        return expected;
    }

    /** The numbers of the accounts, those with the added field marked. */
    private static String expected(String key, long ordinal, int addedSince) {
        long firstWithAdded = addedSince == NEVER ? ordinal : Script.ordinalBefore(key, addedSince);
        List<String> all = new ArrayList<>();
        for (long each = 0; each < ordinal; each++) {
            all.add(each + (each >= firstWithAdded ? "+" : ""));
        }
        String last = ordinal == 0 ? "null" : all.get(all.size() - 1);
        return last + all + all.stream().sorted().collect(Collectors.toList()) + last + all;
    }

    /**
     * Keeps what each event makes in states of evolving types: all in lists and a map, the last in
     * the others. Compares them with what they must be before each event, and in the audit of each
     * round.
     */
    private static final class States extends KeyedProcessFunction<String, Event, Void> {

        private static final long serialVersionUID = 1L;

        private final SchemaVersion version;
        private final int addedSince;

        private transient ValueState<Long> count;
        private transient Account account;
        private transient ValueState<Object> value;
        private transient ListState<Object> list;
        private transient MapState<String, Object> map;
        private transient ReducingState<Object> reducing;
        private transient Schema avro;
        private transient ListState<GenericRecord> avroList;
        private transient ValueState<GenericRecord> avroValue;

        /**
         * @param addedSince from this round on accounts have the field that the next version adds
         */
        States(SchemaVersion version, int addedSince) {
            this.version = version;
            this.addedSince = addedSince;
        }

        @Override
        public void open(OpenContext openContext) throws Exception {
            account = new Account();
            TypeInformation<Object> type = account.type();
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
            value = getRuntimeContext().getState(new ValueStateDescriptor<>("value-pojo", type));
            list = getRuntimeContext().getListState(new ListStateDescriptor<>("list-pojo", type));
            map =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("map-pojo", Types.STRING, type));
            reducing =
                    getRuntimeContext()
                            .getReducingState(
                                    new ReducingStateDescriptor<>(
                                            "reducing-pojo", (one, other) -> other, type));
            avro = version.avroSchema();
            TypeInformation<GenericRecord> record = new GenericRecordAvroTypeInfo(avro);
            avroValue =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("value-avro", record));
            avroList =
                    getRuntimeContext()
                            .getListState(new ListStateDescriptor<>("list-avro", record));
        }

        @Override
        public void processElement(Event event, Context context, Collector<Void> out)
                throws Exception {
            Stage.current().failIfDue();
            check(event.key, event.ordinal);
            context.timerService().registerEventTimeTimer(Script.auditTimeOf(event.round()));
            if (!event.pulse) {
                write(event.ordinal);
            }
        }

        private void write(long ordinal) throws Exception {
            Object made = account.numbered(ordinal);
            value.update(made);
            list.add(made);
            map.put("k" + ordinal, made);
            reducing.add(made);
            GenericRecord record = new GenericData.Record(avro);
            record.put("id", ordinal);
            String other = avro.getField("added") == null ? "obsolete" : "added";
            record.put(other, other + ordinal);
            avroValue.update(record);
            avroList.add(record);
            count.update(ordinal + 1);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Void> out)
                throws Exception {
            String key = context.getCurrentKey();
            long counted = count.value() == null ? 0 : count.value();
            check(key, counted);
            String content = expected(key, counted, addedSince);
            TaskInfo task = getRuntimeContext().getTaskInfo();
            Stage.current().audited(task, NAME, key, Script.roundOf(time), content);
        }

        private void check(String key, long ordinal) throws Exception {
            String found = found();
            String expected = expected(key, ordinal, addedSince);
            if (!found.equals(expected)) {
                throw new IllegalStateException(
                        key + ": states are " + found + ", and should be " + expected);
            }
        }

        private String found() throws Exception {
            List<String> inList = new ArrayList<>();
            for (Object each : list.get()) {
                inList.add(account.show(each));
            }
            List<String> inMap = new ArrayList<>();
            for (Object each : map.values()) {
                inMap.add(account.show(each));
            }
            List<String> inAvro = new ArrayList<>();
            for (GenericRecord each : avroList.get()) {
                inAvro.add(show(each));
            }
            String last = account.show(value.value());
            return last
                    + reduced(last)
                    + inList
                    + inMap.stream().sorted().collect(Collectors.toList())
                    + show(avroValue.value())
                    + inAvro;
        }

        private String reduced(String last) throws Exception {
            return account.show(reducing.get()).equals(last) ? "" : " but reduced";
        }

        private static String show(GenericRecord record) {
            if (record == null) {
                return "null";
            }
            boolean added =
                    record.getSchema().getField("added") != null
                            && record.get("added").toString().equals("added" + record.get("id"));
            return record.get("id") + (added ? "+" : "");
        }

        /** The class of the leg's version, of which only the name is known here. */
        private static final class Account {
            private final Class<?> type;

            Account() throws ClassNotFoundException {
                type = Class.forName(SchemaVersion.ACCOUNT);
            }

            @SuppressWarnings("unchecked")
            TypeInformation<Object> type() {
                return (TypeInformation<Object>) TypeInformation.of(type);
            }

            Object numbered(long ordinal) throws ReflectiveOperationException {
                return type.getMethod("numbered", long.class).invoke(null, ordinal);
            }

            /** Its number, marked if it has the added field. */
            String show(Object account) {
                return String.valueOf(account);
            }
        }
    }
}
