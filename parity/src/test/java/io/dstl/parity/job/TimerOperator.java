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
import io.dstl.parity.model.LateTimers;
import io.dstl.parity.model.Script;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Keeps processing-time timers in several namespaces, and lists them in the audit at the end of
 * each round: a function could not.
 */
final class TimerOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<Event, Void>, Triggerable<String, String> {

    private static final long serialVersionUID = 1L;

    static final String NAME = "timers";

    private static final String AUDIT = "audit";

    private transient InternalTimerService<String> timers;
    private transient ValueState<Long> count;

    @Override
    public void open() throws Exception {
        super.open();
        timers = getInternalTimerService("late", StringSerializer.INSTANCE, this);
        count = getPartitionedState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public void processElement(StreamRecord<Event> record) throws Exception {
        Event event = record.getValue();
        timers.registerEventTimeTimer(AUDIT, Script.auditTimeOf(event.round()));
        if (!event.pulse) {
            LateTimers.deletedBy(event.key, event.ordinal).ifPresent(this::delete);
            timers.registerProcessingTimeTimer(
                    LateTimers.namespaceOf(event.ordinal), LateTimers.timeOf(event.ordinal));
            count.update(event.ordinal + 1);
        }
    }

    private void delete(long ordinal) {
        timers.deleteProcessingTimeTimer(
                LateTimers.namespaceOf(ordinal), LateTimers.timeOf(ordinal));
    }

    @Override
    public void onEventTime(InternalTimer<String, String> timer) throws Exception {
        String key = timer.getKey();
        TreeSet<String> set = new TreeSet<>();
        timers.forEachProcessingTimeTimer(
                (namespace, time) -> {
                    if (getCurrentKey().equals(key)) {
                        set.add(LateTimers.show(namespace, time));
                    }
                });
        setCurrentKey(key);
        Long counted = count.value();
        TreeSet<String> expected = LateTimers.set(key, counted == null ? 0 : counted);
        if (!set.equals(expected)) {
            throw new IllegalStateException(
                    key + ": timers are " + set + ", and should be " + expected);
        }
        TaskInfo task = getRuntimeContext().getTaskInfo();
        int round = Script.roundOf(timer.getTimestamp());
        Stage.current().audited(task, NAME, key, round, set.toString());
    }

    @Override
    public void onProcessingTime(InternalTimer<String, String> timer) {
        throw new IllegalStateException(timer + " has fired, long before its time");
    }

    /** What each key's audit must find once all rounds before the given one are over. */
    static Map<String, String> expectedAudits(List<String> keys, int endRound) {
        Map<String, String> expected = new LinkedHashMap<>();
        for (String key : keys) {
            long ordinal = Script.ordinalBefore(key, endRound);
            expected.put(NAME + " " + key, LateTimers.set(key, ordinal).toString());
        }
        return expected;
    }
}
