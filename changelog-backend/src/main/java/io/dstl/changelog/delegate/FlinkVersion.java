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

/**
 * What differs between the Flink versions that the jar runs on: how to reach into the RocksDB
 * backend, whose package has another name from one to the next, and calls that only some know. The
 * jar holds one for each, as services; the one of this process is told by its RocksDB backend.
 *
 * <p>An implementation may be loaded where its Flink is not: what links with that is loaded only
 * when it is asked for.
 *
 * <p>Threading: any thread, but for what is done to a backend, which is its task's.
 */
public interface FlinkVersion {

    /**
     * The one of this process.
     *
     * @throws IllegalStateException if there is none, or more than one: the jar is not whole, or
     *     Flink's RocksDB backend is not there
     */
    static FlinkVersion get() {
        return FoundVersion.get();
    }

    /**
     * A class that each process with this Flink has, and none with another: of its RocksDB backend.
     */
    String mark();

    DelegateSupport delegates();

    /** Makes a key of a known key group the current one. */
    <K> void setCurrentKeyAndKeyGroup(AbstractKeyedStateBackend<K> backend, K key, int keyGroup);

    /** What Flink calls a backend of this kind, to those that ask a keyed backend for it. */
    String typeOf(AbstractKeyedStateBackend<?> backend);
}
