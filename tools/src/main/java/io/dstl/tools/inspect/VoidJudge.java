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

import io.dstl.changelog.bulk.FieldEnd;
import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds out how much of a log a replay could do without, as later changes of the same log replace
 * it. The rules are those of a replay in bulk, which writes only the last change of each key:
 *
 * <ul>
 *   <li>SET, SET_INTERNAL and CLEAR replace all of their key and namespace;
 *   <li>a map's put and removal replace those of the same entry, also if it was put with others;
 *   <li>of a queue, adding and removing an element replace each other;
 *   <li>what is added to a list replaces nothing;
 *   <li>a merge of namespaces reads: what its state had before that stays.
 * </ul>
 *
 * <p>Compares serialized bytes. Knows nothing of what is materialized, so a removal always counts
 * as needed. The changes of one subtask, in their order; for one thread.
 */
final class VoidJudge {
    private final Optional<FieldEnd> keyEnd;
    private final LiveBytes live;
    private final Map<String, StateRules> states = new HashMap<>();

    /**
     * @param live empty
     */
    VoidJudge(KeyType keys, LiveBytes live) {
        this.keyEnd = keys.end();
        this.live = live;
    }

    /**
     * Takes the next change.
     *
     * @return how many bytes of earlier changes it makes void; empty if nothing tells, as this
     *     process can't read the change's key, namespace or entry: then no later change makes it
     *     void either, so that void bytes are always part of the judged ones
     */
    OptionalLong take(DescribedState state, ChangeOp op, byte[] record) throws IOException {
        StateRules rules = states.get(state.name());
        if (rules == null || rules.state != state) {
            rules =
                    rules == null
                            ? new StateRules(state, states.size(), 0)
                            : new StateRules(state, rules.number, rules.barrier);
            states.put(state.name(), rules);
        }
        if (state.kind() == DescribedState.Kind.QUEUE) {
            return queue(rules, op, record);
        }
        if (!keyEnd.isPresent() || !rules.namespaceEnd.isPresent()) {
            return OptionalLong.empty();
        }
        int afterKey = KeyType.end(keyEnd.get(), record, RecordLayout.SCOPE_AT);
        int dataAt = KeyType.end(rules.namespaceEnd.get(), record, afterKey);
        long scope = ScopeHash.ofScope(rules.number, record, RecordLayout.SCOPE_AT, dataAt);
        return keyed(rules, op, scope, dataAt, record);
    }

    private OptionalLong keyed(StateRules rules, ChangeOp op, long scope, int dataAt, byte[] record)
            throws IOException {
        int bytes = record.length + RecordLayout.FRAMING_BYTES;
        switch (op) {
            case SET:
            case SET_INTERNAL:
            case CLEAR:
                return OptionalLong.of(live.replaceScope(scope, rules.barrier, bytes));
            case MERGE_NS:
                rules.barrier++;
                return OptionalLong.of(0);
            case ADD:
                if (rules.state.kind() == DescribedState.Kind.MAP) {
                    return putAll(rules, scope, dataAt, record);
                }
                live.add(scope, rules.barrier, bytes);
                return OptionalLong.of(0);
            case ADD_ELEMENT:
                live.add(scope, rules.barrier, bytes);
                return OptionalLong.of(0);
            default:
                return entry(rules, scope, dataAt, record);
        }
    }

    private OptionalLong entry(StateRules rules, long scope, int dataAt, byte[] record)
            throws IOException {
        int bytes = record.length + RecordLayout.FRAMING_BYTES;
        if (!rules.entryKeyEnd.isPresent()) {
            return OptionalLong.empty();
        }
        int end = KeyType.end(rules.entryKeyEnd.get(), record, dataAt);
        long entry = ScopeHash.ofEntry(scope, record, dataAt, end);
        return OptionalLong.of(live.replaceEntry(scope, entry, rules.barrier, bytes));
    }

    /** Each entry, with a mark for null behind its key, counts for itself, and the rest as well. */
    private OptionalLong putAll(StateRules rules, long scope, int dataAt, byte[] record)
            throws IOException {
        int bytes = record.length + RecordLayout.FRAMING_BYTES;
        if (!rules.entryKeyEnd.isPresent() || !rules.entryValueEnd.isPresent()) {
            return OptionalLong.empty();
        }
        int at = dataAt + Integer.BYTES;
        long replaced = 0;
        for (int left = count(record, dataAt); left > 0; left--) {
            int afterKey = KeyType.end(rules.entryKeyEnd.get(), record, at);
            if (afterKey == record.length) {
                throw new IOException("an unexpected end in the entries of a map");
            }
            int end =
                    record[afterKey] != 0
                            ? afterKey + 1
                            : KeyType.end(rules.entryValueEnd.get(), record, afterKey + 1);
            long entry = ScopeHash.ofEntry(scope, record, at, afterKey);
            replaced += live.replaceEntry(scope, entry, rules.barrier, end - at);
            bytes -= end - at;
            at = end;
        }
        live.add(scope, rules.barrier, bytes);
        return OptionalLong.of(replaced);
    }

    /** An element is a scope of its own; its bytes tell its key group as well. */
    private OptionalLong queue(StateRules rules, ChangeOp op, byte[] record) throws IOException {
        int from = RecordLayout.SCOPE_AT;
        if (op == ChangeOp.ADD_ELEMENT) {
            int count = count(record, from);
            from += Integer.BYTES;
            if (count != 1) {
                return several(rules, count, from, record);
            }
        }
        long element = ScopeHash.ofScope(rules.number, record, from, record.length);
        int bytes = record.length + RecordLayout.FRAMING_BYTES;
        return OptionalLong.of(live.replaceScope(element, rules.barrier, bytes));
    }

    private OptionalLong several(StateRules rules, int count, int from, byte[] record)
            throws IOException {
        if (!rules.state.timers().isPresent()) {
            return OptionalLong.empty();
        }
        int at = from;
        long replaced = 0;
        for (int left = count; left > 0; left--) {
            int end = rules.state.timers().get().endOf(record, at);
            long element = ScopeHash.ofScope(rules.number, record, at, end);
            replaced += live.replaceScope(element, rules.barrier, end - at);
            at = end;
        }
        return OptionalLong.of(replaced);
    }

    private static int count(byte[] record, int at) throws IOException {
        if (record.length - at < Integer.BYTES) {
            throw new IOException("an unexpected end where a number of elements should be");
        }
        int count = ByteBuffer.wrap(record).getInt(at);
        if (count < 0) {
            throw new IOException(count + " elements");
        }
        return count;
    }

    /** How the records of a state are read; one state may be described several times. */
    private static final class StateRules {
        final DescribedState state;
        final int number;
        final Optional<FieldEnd> namespaceEnd;
        final Optional<FieldEnd> entryKeyEnd;
        final Optional<FieldEnd> entryValueEnd;

        /** How often the state was read by a merge. */
        int barrier;

        StateRules(DescribedState state, int number, int barrier) {
            this.state = state;
            this.number = number;
            this.namespaceEnd = state.namespaces().map(FieldEnd::of);
            this.entryKeyEnd = state.entryKeys().map(FieldEnd::of);
            this.entryValueEnd = state.entryValues().map(FieldEnd::of);
            this.barrier = barrier;
        }
    }
}
