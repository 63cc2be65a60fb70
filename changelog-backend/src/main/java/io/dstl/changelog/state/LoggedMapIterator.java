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
import java.util.Map;
import java.util.function.BiFunction;
import javax.annotation.Nullable;

/**
 * Iterates over the entries of a map, or what a view makes of each, and logs what is removed: by
 * its key as it is then, so the key must not have been changed since it was returned. (RocksDB
 * itself removes by the bytes.)
 *
 * @param <R> what is returned for each entry
 */
final class LoggedMapIterator<UK, UV, R> implements Iterator<R> {
    private final LoggedMapState<?, ?, UK, UV> state;
    private final ChangeScope scope;
    private final Iterator<Map.Entry<UK, UV>> delegate;
    private final BiFunction<ChangeScope, Map.Entry<UK, UV>, R> view;
    @Nullable private Map.Entry<UK, UV> last;

    LoggedMapIterator(
            LoggedMapState<?, ?, UK, UV> state,
            ChangeScope scope,
            Iterator<Map.Entry<UK, UV>> delegate,
            BiFunction<ChangeScope, Map.Entry<UK, UV>, R> view) {
        this.state = state;
        this.scope = scope;
        this.delegate = delegate;
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
        last = delegate.next();
        return last == null ? null : view.apply(scope, last);
    }

    @Override
    public void remove() {
        if (last == null) {
            throw new IllegalStateException("Nothing to remove: call next() before remove().");
        }
        UK key = last.getKey();
        delegate.remove();
        try {
            state.logEntryRemoved(scope, key);
        } catch (IOException e) {
            throw state.notLogged(e);
        }
    }
}
