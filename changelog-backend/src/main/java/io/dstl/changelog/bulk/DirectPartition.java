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
package io.dstl.changelog.bulk;

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;

/** A partition on the task thread. Owns the partition. */
final class DirectPartition implements PartitionInput {
    private final ReplayPartition partition;

    DirectPartition(ReplayPartition partition) {
        this.partition = partition;
    }

    @Override
    public void add(BulkState state, ChangeOp op, int keyGroup, byte[] record) throws IOException {
        partition.take(state, op, keyGroup, record);
    }

    @Override
    public void sort() {
        partition.sort();
    }

    @Override
    public Written beginWrite() throws IOException {
        partition.write();
        return () -> {};
    }

    @Override
    public ReplayPartition partition() {
        return partition;
    }

    @Override
    public void stop() {}

    @Override
    public void close() {
        partition.close();
    }
}
