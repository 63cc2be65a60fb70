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
package io.dstl.changelog.cluster;

import java.io.IOException;

/** Counts until the failure is over. */
public final class SteppedNumbers extends CheckpointedNumbers {
    private static final long serialVersionUID = 1L;

    private final String failure;

    /**
     * @param failure its name
     */
    public SteppedNumbers(String failure, int step) {
        super(step);
        this.failure = failure;
    }

    @Override
    boolean isOver(long counted) {
        return PlannedFailure.named(failure).isOver();
    }

    @Override
    void restored(long number) {
        PlannedFailure.named(failure).restored(number);
    }

    @Override
    void completed(long checkpointId) throws IOException {
        PlannedFailure.named(failure).checkpointCompleted(checkpointId);
    }
}
