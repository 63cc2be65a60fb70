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
import java.util.Map;

/** An entry of a map state, which logs when it is given another value. */
final class LoggedMapEntry<UK, UV> implements Map.Entry<UK, UV> {
    private final LoggedMapState<?, ?, UK, UV> state;
    private final ChangeScope scope;
    private final Map.Entry<UK, UV> delegate;

    LoggedMapEntry(
            LoggedMapState<?, ?, UK, UV> state, ChangeScope scope, Map.Entry<UK, UV> delegate) {
        this.state = state;
        this.scope = scope;
        this.delegate = delegate;
    }

    @Override
    public UK getKey() {
        return delegate.getKey();
    }

    @Override
    public UV getValue() {
        return delegate.getValue();
    }

    @Override
    public UV setValue(UV value) {
        // RocksDB's entries read their key when they are asked for it, and may fail to.
        UK key = delegate.getKey();
        UV previous = delegate.setValue(value);
        try {
            state.logEntrySet(scope, key, value);
        } catch (IOException e) {
            throw state.notLogged(e);
        }
        return previous;
    }

    @Override
    public boolean equals(Object other) {
        return delegate.equals(other);
    }

    @Override
    public int hashCode() {
        return delegate.hashCode();
    }

    @Override
    public String toString() {
        return delegate.toString();
    }
}
