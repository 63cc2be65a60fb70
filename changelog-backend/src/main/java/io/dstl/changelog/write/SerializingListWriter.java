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
package io.dstl.changelog.write;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.LogSerializer;
import io.dstl.changelog.record.StateLog;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.util.Preconditions;

/** Serializes for the log what the delegate was given as objects. */
public final class SerializingListWriter<N, E> implements ListWriter<E> {
    private final InternalListState<?, N, E> delegate;
    private final StateLog<?, N> log;
    private final LogSerializer<List<E>> serializer = new LogSerializer<>();

    public SerializingListWriter(InternalListState<?, N, E> delegate, StateLog<?, N> log) {
        this.delegate = delegate;
        this.log = log;
    }

    @Override
    public void add(E element) throws Exception {
        delegate.add(element);
        TypeSerializer<E> elements = ((ListSerializer<E>) serializer()).getElementSerializer();
        log.record(log.currentScope(), ChangeOp.ADD_ELEMENT, elements, element);
    }

    @Override
    public void addAll(List<E> elements) throws Exception {
        // What the user's list does while it is read comes before any change.
        List<E> copy = new ArrayList<>(elements);
        for (E element : copy) {
            // The heap backend would have added those before it.
            Preconditions.checkNotNull(
                    element,
                    "There is a null among the elements to be added to list state '%s': leave it"
                            + " out. Nothing was added.",
                    log.stateName());
        }
        delegate.addAll(copy);
        log.record(log.currentScope(), ChangeOp.ADD, serializer(), copy);
    }

    @Override
    public void set(List<E> elements, ChangeOp op) throws Exception {
        if (op == ChangeOp.SET) {
            // The heap backend copies the user's list, which may change or refuse to be changed.
            delegate.update(elements);
        } else {
            delegate.updateInternal(elements);
        }
        log.record(log.currentScope(), op, serializer(), elements);
    }

    private TypeSerializer<List<E>> serializer() {
        return serializer.of(delegate.getValueSerializer());
    }
}
