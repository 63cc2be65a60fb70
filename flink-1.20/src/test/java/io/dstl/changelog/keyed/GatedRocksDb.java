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
package io.dstl.changelog.keyed;

import java.io.IOException;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;

/** A RocksDB that is restored when the test lets it. */
final class GatedRocksDb extends EmbeddedRocksDBStateBackend {
    private static final long serialVersionUID = 1L;

    private transient Gate before = () -> {};
    private transient Gate after = () -> {};
    private transient PriorityQueueStateType claimed = PriorityQueueStateType.ROCKSDB;
    private transient int restored;

    interface Gate {
        void pass() throws Exception;
    }

    GatedRocksDb() {
        super(true);
    }

    void whenRestored(Gate next) {
        before = next;
    }

    /** How often one was. */
    int restored() {
        return restored;
    }

    void onceRestored(Gate next) {
        after = next;
    }

    void claims(PriorityQueueStateType kept, PriorityQueueStateType told) {
        setPriorityQueueStateType(kept);
        claimed = told;
    }

    @Override
    public PriorityQueueStateType getPriorityQueueStateType() {
        return claimed;
    }

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        pass(before);
        AbstractKeyedStateBackend<K> backend = super.createKeyedStateBackend(parameters);
        restored++;
        pass(after);
        return backend;
    }

    private static void pass(Gate gate) throws IOException {
        try {
            gate.pass();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
