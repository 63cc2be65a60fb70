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
import io.dstl.changelog.record.ChangeScope;
import io.dstl.changelog.record.LogSerializer;
import io.dstl.changelog.record.StateLog;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;

/** Serializes for the log what the delegate was given as objects. */
public final class SerializingMapWriter<N, UK, UV> implements MapWriter<UK, UV> {
    private final InternalMapState<?, N, UK, UV> delegate;
    private final StateLog<?, N> log;
    private final LogSerializer<Map<UK, UV>> serializer = new LogSerializer<>();

    public SerializingMapWriter(InternalMapState<?, N, UK, UV> delegate, StateLog<?, N> log) {
        this.delegate = delegate;
        this.log = log;
    }

    @Override
    public void put(UK key, @Nullable UV value) throws Exception {
        delegate.put(key, value);
        logEntrySet(log.currentScope(), key, value);
    }

    @Override
    public void putAll(Map<UK, UV> entries) throws Exception {
        // What the user's map does while it is read comes before any change.
        Map<UK, UV> copy = new LinkedHashMap<>(entries);
        MapSerializer<UK, UV> maps = serializer();
        try {
            delegate.putAll(copy);
        } catch (Throwable t) {
            // Some may be there.
            log.lose(t);
            throw t;
        }
        log.record(log.currentScope(), ChangeOp.ADD, maps, copy);
    }

    @Override
    public void remove(UK key) throws Exception {
        delegate.remove(key);
        logEntryRemoved(log.currentScope(), key);
    }

    @Override
    public void logEntrySet(ChangeScope scope, UK key, @Nullable UV value) throws IOException {
        if (value == null) {
            log.record(scope, ChangeOp.ADD, serializer(), Collections.singletonMap(key, null));
        } else {
            log.record(
                    scope,
                    ChangeOp.ADD_OR_UPDATE_ELEMENT,
                    serializer().getKeySerializer(),
                    key,
                    serializer().getValueSerializer(),
                    value);
        }
    }

    @Override
    public void logEntryRemoved(ChangeScope scope, UK key) throws IOException {
        log.record(scope, ChangeOp.REMOVE_ELEMENT, serializer().getKeySerializer(), key);
    }

    private MapSerializer<UK, UV> serializer() {
        return (MapSerializer<UK, UV>) serializer.of(delegate.getValueSerializer());
    }
}
