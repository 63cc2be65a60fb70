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
package io.dstl.changelog.record;

import io.dstl.fs.arena.ChangeEffect;
import io.dstl.fs.log.ChangeAppender;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes the changes of one priority queue: {@code op, state id, data}. They have no key and no
 * namespace of their own; the key group is that of the element's key. A queue is a set: adding or
 * removing an element makes earlier changes of the same element void.
 *
 * <p>Each method writes one whole record or, if a serializer throws, none. The serializers given
 * must belong to the log alone, see {@link LogSerializer}.
 *
 * <p>The task thread only.
 *
 * @param <T> type of the elements
 */
public final class QueueLog<T> extends DescribedLog {
    private final ChangeAppender appender;

    /**
     * @param metadata taken each time a METADATA record is due
     * @param announced whether one is also due with the first change of any other state
     */
    public QueueLog(
            ChangeRecorder<?> recorder,
            StateId id,
            String stateName,
            Supplier<StateMetadata> metadata,
            boolean announced) {
        super(recorder, id, stateName, metadata);
        this.appender = recorder.appender();
        if (announced) {
            recorder.announced(this);
        }
    }

    public void recordAdd(int keyGroup, TypeSerializer<T> serializer, T element)
            throws IOException {
        try {
            DataOutputView out = begin(keyGroup, ChangeOp.ADD_ELEMENT, ChangeEffect.REPLACES_ENTRY);
            out.writeInt(1);
            appender.entryBegins();
            serializer.serialize(element, out);
            appender.endRecord();
        } catch (Throwable t) {
            lose(t);
            throw t;
        }
    }

    /**
     * @param elements all of the given key group
     */
    public void recordAddAll(int keyGroup, TypeSerializer<T> serializer, List<T> elements)
            throws IOException {
        try {
            DataOutputView out = begin(keyGroup, ChangeOp.ADD_ELEMENT, ChangeEffect.ADDS);
            out.writeInt(elements.size());
            for (T element : elements) {
                serializer.serialize(element, out);
            }
            appender.endRecord();
        } catch (Throwable t) {
            lose(t);
            throw t;
        }
    }

    public void recordRemove(int keyGroup, TypeSerializer<T> serializer, T element)
            throws IOException {
        try {
            DataOutputView out =
                    begin(keyGroup, ChangeOp.REMOVE_ELEMENT, ChangeEffect.REPLACES_ENTRY);
            serializer.serialize(element, out);
            appender.endRecord();
        } catch (Throwable t) {
            lose(t);
            throw t;
        }
    }

    private DataOutputView begin(int keyGroup, ChangeOp op, ChangeEffect effect)
            throws IOException {
        DataOutputView out = begin(keyGroup, op);
        appender.scopeEnds(effect);
        return out;
    }
}
