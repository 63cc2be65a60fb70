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
package org.apache.flink.contrib.streaming.state;

import io.dstl.changelog.record.StateLog;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of one value in the buffer of a RocksDB state, for RocksDB and then for the log. The
 * buffer is Flink's own, so that a serializer sees only one view: Kryo would make its buffers anew
 * at each switch between two.
 *
 * <p>Valid until the state serializes something else. Threading: the task thread.
 */
final class RocksDbValue implements StateLog.Data {
    private final DataOutputSerializer buffer;

    RocksDbValue(AbstractRocksDBState<?, ?, ?> state) {
        this.buffer = state.dataOutputView;
    }

    <T> void serialize(T value, TypeSerializer<T> serializer) throws IOException {
        buffer.clear();
        serializer.serialize(value, buffer);
    }

    void clear() {
        buffer.clear();
    }

    byte[] bytes() {
        return buffer.getSharedBuffer();
    }

    int length() {
        return buffer.length();
    }

    @Override
    public void writeTo(DataOutputView out) throws IOException {
        out.write(buffer.getSharedBuffer(), 0, buffer.length());
    }
}
