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
package io.dstl.bench.job;

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates.Payload;
import io.dstl.bench.job.async.ValueWork;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The workloads on one value of each key, as {@link KeyedWork} has them. Immutable. */
final class AsyncWork implements ValueWork {
    private final boolean reads;
    private final long keys;
    private final int valueBytes;
    private final String results;

    AsyncWork(JobArguments arguments) {
        this.reads = arguments.kind() == WorkloadKind.RMW;
        this.keys = arguments.updates().keys();
        this.valueBytes = arguments.valueBytes();
        this.results = arguments.results();
    }

    @Override
    public boolean reads() {
        return reads;
    }

    @Override
    public byte[] next(byte[] before, long update) {
        if (!reads) {
            return Payload.of(update, valueBytes);
        }
        long chain = before == null ? 0 : ByteBuffer.wrap(before).getLong();
        return Payload.of(StateModel.chain(chain, update), valueBytes);
    }

    @Override
    public long keys() {
        return keys;
    }

    @Override
    public long digest(long key, byte[] value) {
        return StateModel.digest(key, Payload.update(value));
    }

    @Override
    public void end(int subtask, long digest) throws IOException {
        TotalsFile.write(results, TotalsFile.STATE, subtask, digest);
    }
}
