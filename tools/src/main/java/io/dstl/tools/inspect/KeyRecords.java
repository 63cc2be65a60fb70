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
import io.dstl.tools.inspect.DescribedState.TimerTypes;
import io.dstl.tools.inspect.LogWalk.ChangeSink;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Finds the changes of one key of one state, and shows what is in them. Keeps the last ones only.
 * For one thread.
 */
final class KeyRecords implements ChangeSink {
    private static final String HEX = "0x";

    private final String stateName;
    private final String wanted;
    private final Optional<TypeSerializer<?>> keys;
    private final int most;
    private final Deque<Shown> last = new ArrayDeque<>();
    private Optional<SegmentLocation> set = Optional.empty();
    private boolean stateSeen;
    private boolean keyUnreadable;
    private long found;

    /**
     * @param wanted the key as text, or its serialized bytes as 0x...
     * @param most records kept, at least 1
     */
    KeyRecords(String stateName, String wanted, KeyType keys, int most) {
        this.stateName = stateName;
        this.wanted = wanted.startsWith(HEX) ? wanted.toLowerCase(Locale.ROOT) : wanted;
        this.keys = keys.serializer();
        this.most = most;
    }

    /** How many changes the key has, shown or not. */
    long found() {
        return found;
    }

    /** Whether the log has changes of the state. */
    boolean isStateSeen() {
        return stateSeen;
    }

    /** Whether changes of the state were passed by, as the type of their keys is not known. */
    boolean isKeyUnreadable() {
        return keyUnreadable;
    }

    /** The last ones, in the order of the log. */
    List<Shown> last() {
        return new ArrayList<>(last);
    }

    @Override
    public void beginSet(SegmentLocation newSet) {
        set = Optional.of(newSet);
    }

    @Override
    public void change(DescribedState state, ChangeOp op, int keyGroup, byte[] record) {
        if (!state.name().equals(stateName)) {
            return;
        }
        stateSeen = true;
        try {
            ValueText text = new ValueText(record, RecordLayout.SCOPE_AT);
            Optional<String> data =
                    state.kind() == DescribedState.Kind.QUEUE
                            ? timers(state, op, text)
                            : keyed(state, op, record, text);
            data.ifPresent(shown -> keep(new Shown(set, op, keyGroup, shown)));
        } catch (IOException e) {
            // Not a key of this type: not the wanted one.
        }
    }

    private Optional<String> keyed(DescribedState state, ChangeOp op, byte[] record, ValueText text)
            throws IOException {
        if (!keys.isPresent()) {
            keyUnreadable = !wanted.startsWith(HEX);
            return startsWithWanted(record) ? Optional.of(text.rest()) : Optional.empty();
        }
        if (!isWantedNext(text, keys)) {
            return Optional.empty();
        }
        String namespace = text.next(state.namespaces());
        String data = text.isAtEnd() ? "" : data(state, op, text);
        return Optional.of(
                namespace.equals("VoidNamespace") ? data : "namespace " + namespace + "  " + data);
    }

    private boolean startsWithWanted(byte[] record) {
        return new ValueText(record, RecordLayout.SCOPE_AT).rest().startsWith(wanted);
    }

    private static String data(DescribedState state, ChangeOp op, ValueText text)
            throws IOException {
        try {
            return fields(state, op, text);
        } catch (IOException e) {
            return text.rest();
        }
    }

    /**
     * What comes behind key and namespace.
     *
     * @throws IOException if it is not of the types that the state has
     */
    static String fields(DescribedState state, ChangeOp op, ValueText text) throws IOException {
        switch (op) {
            case SET:
            case SET_INTERNAL:
            case ADD:
                return text.next(state.values());
            case ADD_ELEMENT:
                return text.next(state.elements());
            case REMOVE_ELEMENT:
                return text.next(state.entryKeys());
            case ADD_OR_UPDATE_ELEMENT:
                return text.next(state.entryKeys())
                        + (text.isAtEnd() ? "" : " = " + text.next(state.entryValues()));
            default:
                return text.rest();
        }
    }

    private Optional<String> timers(DescribedState state, ChangeOp op, ValueText text)
            throws IOException {
        if (!state.timers().isPresent()) {
            return Optional.empty();
        }
        TimerTypes types = state.timers().get();
        List<String> matching = new ArrayList<>();
        int left = op == ChangeOp.ADD_ELEMENT ? text.nextInt() : 1;
        for (; left > 0; left--) {
            long time = text.nextTime();
            boolean isMatch = isWantedNext(text, Optional.of(types.keys()));
            String namespace = text.next(Optional.of(types.namespaces()));
            if (isMatch) {
                matching.add(
                        "at "
                                + time
                                + (namespace.equals("VoidNamespace")
                                        ? ""
                                        : " namespace " + namespace));
            }
        }
        return matching.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", matching));
    }

    private boolean isWantedNext(ValueText text, Optional<TypeSerializer<?>> type)
            throws IOException {
        int from = text.position();
        String key = text.next(type);
        return (wanted.startsWith(HEX) && text.hexFrom(from).equals(wanted))
                || key.equals(wanted)
                || key.equals("\"" + wanted + "\"");
    }

    private void keep(Shown shown) {
        found++;
        last.addLast(shown);
        if (last.size() > most) {
            last.removeFirst();
        }
    }

    /** One change, as text. */
    static final class Shown {
        private final Optional<SegmentLocation> set;
        private final ChangeOp op;
        private final int keyGroup;
        private final String data;

        private Shown(Optional<SegmentLocation> set, ChangeOp op, int keyGroup, String data) {
            this.set = set;
            this.op = op;
            this.keyGroup = keyGroup;
            this.data = data;
        }

        /** Empty where the log is in the metadata itself. */
        Optional<SegmentLocation> set() {
            return set;
        }

        ChangeOp op() {
            return op;
        }

        int keyGroup() {
            return keyGroup;
        }

        String data() {
            return data;
        }
    }
}
