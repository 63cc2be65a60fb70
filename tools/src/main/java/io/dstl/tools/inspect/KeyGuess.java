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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * Guesses the type of an operator's keys from a sample of its changes: a type is taken if each key
 * that it reads belongs to the key group that the change was logged under. Any other type would
 * have to hit that by chance with every one of the different keys, so enough of them are sure.
 *
 * <p>Holds up to {@value #MAX_SAMPLE} changes, and up to {@value #MAX_BYTES} bytes of each. For one
 * thread.
 */
final class KeyGuess {
    /** Different keys that have to fit: one in a million is right by chance. */
    private static final double CERTAIN_BITS = 20;

    private static final int MAX_SAMPLE = 1000;

    /** A longer key is not guessed. */
    private static final int MAX_BYTES = 1 << 10;

    private final int numberOfKeyGroups;
    private final List<Sample> samples = new ArrayList<>();

    /**
     * @param numberOfKeyGroups of the operator: its maximum parallelism
     */
    KeyGuess(int numberOfKeyGroups) {
        this.numberOfKeyGroups = numberOfKeyGroups;
    }

    boolean isFull() {
        return samples.size() >= MAX_SAMPLE;
    }

    /**
     * Takes a change of a key-value state into the sample.
     *
     * @param record whole, as logged
     */
    void add(DescribedState state, ChangeOp op, int keyGroup, byte[] record) {
        if (!isFull()) {
            int to = Math.min(record.length, RecordLayout.SCOPE_AT + MAX_BYTES);
            samples.add(new Sample(state, op, keyGroup, Arrays.copyOf(record, to)));
        }
    }

    /**
     * Unknown if no type fits enough different keys, or several do. A long with four bytes of zero
     * at its end has the key group of the int ahead of them, and an int ahead of such bytes that of
     * a long: if the rest of the records does not tell them apart either, nothing is guessed.
     *
     * @param why nothing surer was found
     */
    KeyType decide(String why) {
        List<TypeSerializer<?>> fitting = new ArrayList<>(KeyType.candidates());
        fitting.removeIf(type -> !fitsKeyGroups(type));
        boolean several = fitting.size() > 1;
        if (several) {
            fitting.removeIf(type -> !samples.stream().allMatch(sample -> sample.endsAsOf(type)));
        }
        if (fitting.size() == 1) {
            return KeyType.guessed(fitting.get(0), why);
        }
        return KeyType.unknown(
                why
                        + (several ? ", and more than one plain type" : ", and no plain type")
                        + " fits the key groups of enough different keys in the log");
    }

    private boolean fitsKeyGroups(TypeSerializer<?> candidate) {
        Set<Object> keys = new HashSet<>();
        for (Sample sample : samples) {
            DataInputDeserializer in =
                    new DataInputDeserializer(
                            sample.record,
                            RecordLayout.SCOPE_AT,
                            sample.record.length - RecordLayout.SCOPE_AT);
            try {
                // A length that is none would be allocated.
                FieldEnd.of(candidate)
                        .of(sample.record, RecordLayout.SCOPE_AT, sample.record.length);
                Object key = candidate.deserialize(in);
                if (KeyGroupRangeAssignment.assignToKeyGroup(key, numberOfKeyGroups)
                        != sample.keyGroup) {
                    return false;
                }
                keys.add(key);
            } catch (IOException | RuntimeException e) {
                return false;
            }
        }
        return keys.size() * Math.log(numberOfKeyGroups) / Math.log(2) >= CERTAIN_BITS;
    }

    private static final class Sample {
        final DescribedState state;
        final ChangeOp op;
        final int keyGroup;
        final byte[] record;

        Sample(DescribedState state, ChangeOp op, int keyGroup, byte[] record) {
            this.state = state;
            this.op = op;
            this.keyGroup = keyGroup;
            this.record = record;
        }

        /**
         * Whether the fields behind such a key end with the record, as far as that can be told
         * without a value being read: at a wrong place that could want any amount of memory.
         */
        boolean endsAsOf(TypeSerializer<?> keys) {
            int at = RecordLayout.SCOPE_AT;
            try {
                for (Optional<? extends TypeSerializer<?>> field : fields(keys)) {
                    if (field.isEmpty() || !FieldEnd.hasOneForm(field.get())) {
                        return true;
                    }
                    at = FieldEnd.of(field.get()).of(record, at, record.length);
                }
                return at == record.length;
            } catch (IOException e) {
                return record.length == RecordLayout.SCOPE_AT + MAX_BYTES;
            }
        }

        private List<Optional<? extends TypeSerializer<?>>> fields(TypeSerializer<?> keys) {
            List<Optional<? extends TypeSerializer<?>>> fields = new ArrayList<>();
            fields.add(Optional.of(keys));
            fields.add(state.namespaces());
            switch (op) {
                case CLEAR:
                    break;
                case SET:
                case SET_INTERNAL:
                case ADD:
                    fields.add(state.values());
                    break;
                case ADD_ELEMENT:
                    fields.add(state.elements());
                    break;
                case REMOVE_ELEMENT:
                    fields.add(state.entryKeys());
                    break;
                case ADD_OR_UPDATE_ELEMENT:
                    fields.add(state.entryKeys());
                    fields.add(Optional.empty());
                    break;
                default:
                    fields.add(Optional.empty());
            }
            return fields;
        }
    }
}
