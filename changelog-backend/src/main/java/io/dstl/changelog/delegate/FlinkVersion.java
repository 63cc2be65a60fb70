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
package io.dstl.changelog.delegate;

import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;

/**
 * The differences between the Flink versions that the jar runs on: how to reach into the RocksDB
 * backend, whose package name differs, and calls that only some versions have. The jar holds one
 * implementation for each, as services; the RocksDB backend tells which one this process needs.
 *
 * <p>An implementation may be loaded without its Flink: the classes that link with that Flink are
 * loaded only on request.
 *
 * <p>Threading: any thread, except for work on a backend, which belongs to its task.
 */
public interface FlinkVersion {

    /**
     * The version of this process.
     *
     * @throws IllegalStateException if there is none, or more than one: the jar is incomplete, or
     *     Flink's RocksDB backend is missing
     */
    static FlinkVersion get() {
        return FoundVersion.get();
    }

    /**
     * The name of a class of the RocksDB backend that each process with this Flink has, and none
     * with another.
     */
    String classOfItsOwn();

    DelegateSupport delegates();

    /** Makes a key of a known key group the current one. */
    <K> void setCurrentKeyAndKeyGroup(AbstractKeyedStateBackend<K> backend, K key, int keyGroup);

    /** Whether operators may use state asynchronously. */
    boolean hasAsyncState();

    /**
     * A backend's view for asynchronous state; closing it or disposing of it does the same to the
     * backend. Flink's own view for such a backend does neither, so that each attempt of a task
     * would leave its log, its threads' work and its files behind.
     */
    <K> AsyncKeyedStateBackend asyncView(AbstractKeyedStateBackend<K> backend);

    /** Flink's name for this kind of backend, for those that ask a keyed backend for it. */
    String typeOf(AbstractKeyedStateBackend<?> backend);
}
