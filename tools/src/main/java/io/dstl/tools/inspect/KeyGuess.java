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
    void add(int keyGroup, byte[] record) {
        if (!isFull()) {
            int to = Math.min(record.length, RecordLayout.SCOPE_AT + MAX_BYTES);
            samples.add(new Sample(keyGroup, Arrays.copyOf(record, to)));
        }
    }

    /** Empty if no type fits, or too few different keys say so. */
    Optional<KeyType> decide() {
        for (TypeSerializer<?> candidate : KeyType.candidates()) {
            if (fits(candidate)) {
                return Optional.of(KeyType.of(candidate, KeyType.Origin.GUESSED));
            }
        }
        return Optional.empty();
    }

    private boolean fits(TypeSerializer<?> candidate) {
        Set<Object> keys = new HashSet<>();
        for (Sample sample : samples) {
            DataInputDeserializer in =
                    new DataInputDeserializer(
                            sample.record,
                            RecordLayout.SCOPE_AT,
                            sample.record.length - RecordLayout.SCOPE_AT);
            try {
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
        final int keyGroup;
        final byte[] record;

        Sample(int keyGroup, byte[] record) {
            this.keyGroup = keyGroup;
            this.record = record;
        }
    }
}
