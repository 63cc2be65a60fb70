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
package io.dstl.changelog.flink1;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.delegate.FlinkVersion;
import org.apache.flink.contrib.streaming.state.RocksDbSupport;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;

/** Flink 1.20. Created by the service loader. */
public final class Flink1 implements FlinkVersion {

    /** Not the state backend itself: Flink 2 still has one of that name, which extends its own. */
    @Override
    public String classOfItsOwn() {
        return "org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend";
    }

    @Override
    public DelegateSupport delegates() {
        return new RocksDbSupport();
    }

    @Override
    public <K> void setCurrentKeyAndKeyGroup(
            AbstractKeyedStateBackend<K> backend, K key, int keyGroup) {
        throw new UnsupportedOperationException("Flink 1.20 has no setCurrentKeyAndKeyGroup");
    }

    @Override
    public boolean hasAsyncState() {
        return false;
    }

    @Override
    public <K> AsyncKeyedStateBackend asyncView(AbstractKeyedStateBackend<K> backend) {
        throw new UnsupportedOperationException("Flink 1.20 has no asynchronous state");
    }

    @Override
    public String typeOf(AbstractKeyedStateBackend<?> backend) {
        throw new UnsupportedOperationException("Flink 1.20 has no getBackendTypeIdentifier");
    }
}
