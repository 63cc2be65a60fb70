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
package io.dstl.changelog.flink2;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.delegate.FlinkVersion;
import java.io.IOException;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.v2.adaptor.AsyncKeyedStateBackendAdaptor;
import org.apache.flink.state.rocksdb.RocksDbSupport;

/** Flink 2. Created by the service loader. */
public final class Flink2 implements FlinkVersion {

    @Override
    public String classOfItsOwn() {
        return "org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend";
    }

    @Override
    public DelegateSupport delegates() {
        return new RocksDbSupport();
    }

    @Override
    public <K> void setCurrentKeyAndKeyGroup(
            AbstractKeyedStateBackend<K> backend, K key, int keyGroup) {
        backend.setCurrentKeyAndKeyGroup(key, keyGroup);
    }

    @Override
    public boolean hasAsyncState() {
        return true;
    }

    @Override
    public <K> AsyncKeyedStateBackend<K> asyncView(AbstractKeyedStateBackend<K> backend) {
        return new AsyncView<>(backend);
    }

    /** From 2.2 on: nobody asks in those before, which have no such method. */
    @Override
    public String typeOf(AbstractKeyedStateBackend<?> backend) {
        return backend.getBackendTypeIdentifier();
    }

    /** Flink's adaptor, which leaves its backend open. */
    private static final class AsyncView<K> extends AsyncKeyedStateBackendAdaptor<K> {

        AsyncView(CheckpointableKeyedStateBackend<K> backend) {
            super(backend);
        }

        @Override
        public void close() throws IOException {
            getKeyedStateBackend().close();
        }

        @Override
        public void dispose() {
            getKeyedStateBackend().dispose();
        }
    }
}
