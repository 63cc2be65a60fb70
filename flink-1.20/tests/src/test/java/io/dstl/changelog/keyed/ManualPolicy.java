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
import io.dstl.materializer.MaterializationPolicy.Outcome;
import io.dstl.materializer.MaterializationPolicy.Reason;
import io.dstl.materializer.StallWatch;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;

/** A materialization is due when the test says so. */
public final class ManualPolicy implements MaterializationPolicy {
    /** For so long an upload may get nowhere. */
    static final Duration SILENCE = Duration.ofMinutes(10);

    private final List<LogSize> sizes = new ArrayList<>();
    private final ManualTimer timer = new ManualTimer();

    private Consumer<Reason> due = reason -> {};

    /**
     * A keyed backend that materializes when this policy says so.
     *
     * @param uploads runs the asynchronous part of a materialization
     */
    public <K> LoggedKeyedStateBackend<K> backend(
            StateBackend delegate, KeyedStateBackendParameters<K> parameters, Executor uploads)
            throws Exception {
        return new LoggedKeyedStateBackendBuilder<>(delegate, parameters)
                .with(this, uploads)
                .with(() -> new StallWatch(SILENCE, timer), timer)
                .build();
    }

    /** Runs to its end before it returns where mailbox and executor of the test are direct. */
    public void materialize() {
        due.accept(Reason.PERIOD);
    }

    /** Uploads that hang are noticed, and checkpoints that are late. */
    void letTimePass(Duration time) {
        timer.advance(time);
    }

    @Override
    public void start(Consumer<Reason> toCall) {
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
    public void ended(Outcome outcome, Took took) {}

    @Override
    public void close() {
        due = reason -> {};
    }
}
