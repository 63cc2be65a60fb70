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
package io.dstl.changelog.state;

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Finds the change of a queue that repeats the one before. A set of elements in their serialized
 * form is the same without it, and so are its head and its log.
 *
 * <p>Flink's windows repeat nearly every change of their timers: {@code EventTimeTrigger} registers
 * the end of the window, and the operator registers it once more as the time of the cleanup; a
 * timer that has fired is taken from the queue, and then deleted with its window.
 *
 * <p>Elements are compared as bytes, since the object may be the same one with another key.
 *
 * <p>The task thread only.
 */
final class RepeatedChange<T> {
    private static final int USUAL_BYTES = 64;

    /** Always the same one: where the view changes, Kryo makes its buffers anew. */
    private final DataOutputSerializer next = new DataOutputSerializer(USUAL_BYTES);

    private byte[] last = new byte[USUAL_BYTES];
    private int lastLength;
    @Nullable private ChangeOp lastOp;

    /** Serializes the element of the next change. */
    void serialize(TypeSerializer<T> serializer, T element) throws IOException {
        next.clear();
        serializer.serialize(element, next);
    }

    /** Whether this change of the element that was serialized last repeats the last change. */
    boolean isRepeated(ChangeOp op) {
        return op == lastOp && isLastElement();
    }

    private boolean isLastElement() {
        return Arrays.equals(next.getSharedBuffer(), 0, next.length(), last, 0, lastLength);
    }

    /** The element that was serialized last. */
    DataOutputSerializer element() {
        return next;
    }

    /** The change of the element that was serialized last is in the queue, and in the log. */
    void made(ChangeOp op) {
        lastLength = next.length();
        if (last.length < lastLength) {
            last = new byte[next.getSharedBuffer().length];
        }
        System.arraycopy(next.getSharedBuffer(), 0, last, 0, lastLength);
        lastOp = op;
    }

    /** The queue may change, by what is not known yet. */
    void forget() {
        lastOp = null;
    }
}
