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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeData;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.write.ListWriter;
import io.dstl.changelog.write.SerializingListWriter;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalListState;

/**
 * A list state that logs what is added, or the whole list when it is replaced. An update to the
 * empty list, which the delegates treat as a removal, is logged as CLEAR; adding nothing changes
 * nothing and is not logged.
 */
final class LoggedListState<K, N, E> extends LoggedState<K, N, List<E>, InternalListState<K, N, E>>
        implements InternalListState<K, N, E> {
    /** As a {@code ListSerializer} writes it. */
    private static final ChangeData EMPTY_LIST = out -> out.writeInt(0);

    private ListWriter<E> writer;

    LoggedListState(
            ChangeRecorder<K> recorder,
            StateDescriptor<?, ?> descriptor,
            InternalListState<K, N, E> delegate) {
        super(recorder, descriptor, delegate);
        this.writer = writerOf(delegate);
    }

    private ListWriter<E> writerOf(InternalListState<K, N, E> delegate) {
        return DelegateSupport.get()
                .writers()
                .ofList(delegate, log())
                .orElseGet(() -> new SerializingListWriter<>(delegate, log()));
    }

    @Override
    void rebind(StateDescriptor<?, ?> newDescriptor, InternalListState<K, N, E> newDelegate) {
        super.rebind(newDescriptor, newDelegate);
        writer = writerOf(newDelegate);
    }

    @Override
    public Iterable<E> get() throws Exception {
        return delegate().get();
    }

    @Override
    public List<E> getInternal() throws Exception {
        return delegate().getInternal();
    }

    @Override
    public void add(E element) throws Exception {
        writer.add(element);
    }

    @Override
    public void addAll(List<E> elements) throws Exception {
        if (isNullOrEmpty(elements)) {
            delegate().addAll(elements);
        } else {
            writer.addAll(elements);
        }
    }

    @Override
    public void update(List<E> elements) throws Exception {
        if (isNullOrEmpty(elements)) {
            delegate().update(elements);
            logClear();
        } else {
            writer.set(elements, ChangeOp.SET);
        }
    }

    @Override
    public void updateInternal(List<E> elements) throws Exception {
        if (!isNullOrEmpty(elements)) {
            writer.set(elements, ChangeOp.SET_INTERNAL);
            return;
        }
        delegate().updateInternal(elements);
        if (elements == null) {
            logClear();
        } else {
            log().record(scope(), ChangeOp.SET_INTERNAL, EMPTY_LIST);
        }
    }

    private static boolean isNullOrEmpty(@Nullable List<?> elements) {
        return elements == null || elements.isEmpty();
    }

    @Override
    public void mergeNamespaces(N target, Collection<N> sources) throws Exception {
        try {
            delegate().mergeNamespaces(target, sources);
            if (sources != null && !sources.isEmpty()) {
                log().recordMerge(scopeOf(target), target, withoutNulls(sources));
            }
        } catch (Throwable t) {
            // Of several sources the first may be gone.
            log().lose(t);
            throw t;
        } finally {
            restoreNamespace();
        }
    }

    private Collection<N> withoutNulls(Collection<N> sources) {
        return sources.stream().filter(Objects::nonNull).collect(Collectors.toList());
    }
}
