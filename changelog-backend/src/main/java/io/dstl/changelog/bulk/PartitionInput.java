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

/** Gives changes to a partition, on whichever thread that runs. For the task thread. */
interface PartitionInput {

    /** The writing of all that a partition had. */
    interface Written {

        /** Waits until it is done. */
        void await() throws IOException;
    }

    /**
     * As of {@link ReplayPartition#take}, of which a failure may come later, with any of these
     * methods.
     */
    void add(BulkState state, ChangeOp op, int keyGroup, byte[] record) throws IOException;

    /**
     * Has a partition of the caller's thread sort what it has. One of another thread sorts when it
     * writes.
     */
    void sort();

    /** Has the partition write all it has, without waiting for it if it runs on another thread. */
    Written beginWrite() throws IOException;

    /** What it has done may be asked for after {@link Written#await}. */
    ReplayPartition partition();

    /** Has the partition end soon; does not wait. */
    void stop();

    /** Waits until the partition uses the delegate no more; after {@link #stop}. */
    void close();
}
