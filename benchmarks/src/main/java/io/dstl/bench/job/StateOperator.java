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

import org.apache.flink.api.common.state.State;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;

/** Runs the work, and in the end writes down what the state of all keys comes to. */
final class StateOperator extends KeyedProcessOperator<Long, Long, Long> {
    private static final long serialVersionUID = 1L;

    private final KeyedWork<?> work;
    private final String results;

    StateOperator(KeyedWork<?> work, String results) {
        super(work);
        this.work = work;
        this.results = results;
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        TotalsFile.write(
                results,
                TotalsFile.STATE,
                getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                digest(work));
    }

    private <S extends State> long digest(KeyedWork<S> of) throws Exception {
        KeyedStateBackend<Long> backend = getKeyedStateBackend();
        long[] digest = new long[1];
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                of.descriptor(),
                (key, state) -> digest[0] += of.digest(key, state));
        return digest[0];
    }
}
