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
package io.dstl.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimerThreadTest {

    @Test
    void anErrorInWhatIsDueIsToldAndNoOtherFailure() throws Exception {
        List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
        TimerThread timer =
                new TimerThread(
                        new DaemonThreads("dstl-test-timer"), (thread, error) -> told.add(error));
        Error error = new OutOfMemoryError("of the test");
        try {
            Future<?> late = timer.schedule(() -> fail(error), 1, TimeUnit.HOURS);
            late.cancel(false);
            timer.execute(() -> fail(new IllegalStateException("of the test")));
            timer.execute(() -> {});
            timer.execute(() -> fail(error));
        } finally {
            timer.shutdown();
            assertThat(timer.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(told).containsExactly(error);
    }

    private static <T extends Throwable> void fail(Throwable cause) throws T {
        @SuppressWarnings("unchecked")
        T thrown = (T) cause;
        throw thrown;
    }
}
