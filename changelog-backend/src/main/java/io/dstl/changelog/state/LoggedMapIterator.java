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

import io.dstl.changelog.record.ChangeScope;
import java.io.IOException;
import java.util.Iterator;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * Iterates over the elements of a map, and logs what is removed: by its key as it is then, so the
 * key must not have been changed since it was returned. (RocksDB itself removes by the bytes.)
 *
 * @param <E> what the delegate returns for each entry
 * @param <R> what is returned for it
 */
final class LoggedMapIterator<UK, E, R> implements Iterator<R> {
    private final LoggedMapState<?, ?, UK, ?> state;
    private final ChangeScope scope;
    private final Iterator<E> delegate;
    private final Function<E, UK> key;
    private final Function<E, R> view;
    private boolean returned;
    @Nullable private E last;

    /**
     * @param key of an element
     */
    LoggedMapIterator(
            LoggedMapState<?, ?, UK, ?> state,
            ChangeScope scope,
            Iterator<E> delegate,
            Function<E, UK> key,
            Function<E, R> view) {
        this.state = state;
        this.scope = scope;
        this.delegate = delegate;
        this.key = key;
        this.view = view;
    }

    @Override
    public boolean hasNext() {
        return delegate.hasNext();
    }

    /** Null where the delegate returns null, which RocksDB does past the end. */
    @Override
    @Nullable
    public R next() {
        returned = delegate.hasNext();
        last = delegate.next();
        return returned ? view.apply(last) : null;
    }

    @Override
    public void remove() {
        if (!returned) {
            throw new IllegalStateException("Nothing to remove: call next() before remove().");
        }
        UK removed = key.apply(last);
        delegate.remove();
        try {
            state.logEntryRemoved(scope, removed);
        } catch (IOException e) {
            throw state.notLogged(e);
        }
    }
}
