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

import org.apache.flink.runtime.state.StateBackend;

/** {@link RocksDBStateBackend}, which Flink 1 has until its end. Flink 2 has none. */
@SuppressWarnings("deprecation")
final class RocksDbLegacy {
    private RocksDbLegacy() {}

    /** Whether the backend is one, and its snapshots iterate over what is in memory, too. */
    static boolean isFull(StateBackend backend) {
        return backend instanceof RocksDBStateBackend
                && !((RocksDBStateBackend) backend).isIncrementalCheckpointsEnabled();
    }
}
