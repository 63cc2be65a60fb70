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

import io.dstl.materializer.LogSize;
import io.dstl.materializer.MaterializationPolicy;
import io.dstl.materializer.MaterializationReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A materialization is due when the test says so. */
final class ManualPolicy implements MaterializationPolicy {

    private final List<LogSize> sizes = new ArrayList<>();

    private Consumer<MaterializationReason> due = reason -> {};

    /** Runs to its end before it returns, as mailbox and executor of the test are direct. */
    void materialize() {
        due.accept(MaterializationReason.PERIOD);
    }

    @Override
    public void start(Consumer<MaterializationReason> toCall) {
        due = toCall;
    }

    @Override
    public void checkpointed(LogSize size) {
        sizes.add(size);
    }

    /** Of the completed checkpoints. */
    List<LogSize> sizes() {
        return sizes;
    }

    @Override
    public void ended(Outcome outcome, Duration took) {}

    @Override
    public void close() {
        due = reason -> {};
    }
}
