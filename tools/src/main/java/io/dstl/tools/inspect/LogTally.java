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
package io.dstl.tools.inspect;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.tools.cli.Tally;
import io.dstl.tools.inspect.LogWalk.ChangeSink;
import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Counts the changes of a log by state and by key group. Bytes are those of uncompressed content,
 * each change with its framing.
 *
 * <p>Memory: a few numbers for each state and each key group. One thread at a time.
 */
final class LogTally implements ChangeSink {
    private final Optional<VoidJudge> judge;
    private final Map<String, StateTally> states = new TreeMap<>();
    private final Map<Integer, Tally> keyGroups = new TreeMap<>();
    private final Tally metadata = new Tally();
    private long sets;

    private LogTally(Optional<VoidJudge> judge) {
        this.judge = judge;
    }

    /** Of all subtasks of an operator, to be added up; or of changes whose keys are nobody's. */
    static LogTally withoutVoid() {
        return new LogTally(Optional.empty());
    }

    /** Of the log of one subtask. */
    static LogTally of(VoidJudge judge) {
        return new LogTally(Optional.of(judge));
    }

    @Override
    public void beginSet(SegmentLocation set) {
        sets++;
    }

    @Override
    public void metadata(DescribedState state, byte[] record) {
        metadata.add(record.length + RecordLayout.FRAMING_BYTES);
    }

    @Override
    public void change(DescribedState state, ChangeOp op, int keyGroup, byte[] record) {
        int bytes = record.length + RecordLayout.FRAMING_BYTES;
        keyGroups.computeIfAbsent(keyGroup, any -> new Tally()).add(bytes);
        StateTally tally =
                states.computeIfAbsent(state.name(), any -> new StateTally(state.type()));
        tally.logged.add(bytes);
        OptionalLong replaced = judged(state, op, record);
        if (replaced.isPresent()) {
            tally.judgedBytes += bytes;
            tally.voidBytes += replaced.getAsLong();
        }
    }

    /** What doesn't parse, because its key is of another type than supposed, is not judged. */
    private OptionalLong judged(DescribedState state, ChangeOp op, byte[] record) {
        if (!judge.isPresent()) {
            return OptionalLong.empty();
        }
        try {
            return judge.get().take(state, op, record);
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    void add(LogTally other) {
        sets += other.sets;
        metadata.add(other.metadata);
        other.keyGroups.forEach(
                (group, amount) ->
                        keyGroups.computeIfAbsent(group, any -> new Tally()).add(amount));
        other.states.forEach(
                (name, tally) ->
                        states.computeIfAbsent(name, any -> new StateTally(tally.type)).add(tally));
    }

    /** By name. */
    Map<String, StateTally> states() {
        return Collections.unmodifiableMap(states);
    }

    /** By number. */
    Map<Integer, Tally> keyGroups() {
        return Collections.unmodifiableMap(keyGroups);
    }

    /** What describes the states. */
    Tally metadata() {
        return metadata;
    }

    /** Change sets; one counts for each subtask that has it in its log. */
    long sets() {
        return sets;
    }

    /** All of it, metadata included. */
    Tally total() {
        Tally total = new Tally();
        total.add(metadata);
        states.values().forEach(state -> total.add(state.logged));
        return total;
    }

    long voidBytes() {
        return states.values().stream().mapToLong(StateTally::voidBytes).sum();
    }

    /** Of changes of which it is known what they make void. */
    long judgedBytes() {
        return states.values().stream().mapToLong(StateTally::judgedBytes).sum();
    }

    /** The changes of one state. */
    static final class StateTally {
        private final String type;
        private final Tally logged = new Tally();
        private long judgedBytes;
        private long voidBytes;

        private StateTally(String type) {
            this.type = type;
        }

        private void add(StateTally other) {
            logged.add(other.logged);
            judgedBytes += other.judgedBytes;
            voidBytes += other.voidBytes;
        }

        /** As of {@link DescribedState#type()}. */
        String type() {
            return type;
        }

        Tally logged() {
            return logged;
        }

        /** See {@link LogTally#judgedBytes()}. */
        long judgedBytes() {
            return judgedBytes;
        }

        /** An estimate if not all keys could be followed; never more than was judged. */
        long voidBytes() {
            return Math.min(voidBytes, judgedBytes);
        }
    }
}
