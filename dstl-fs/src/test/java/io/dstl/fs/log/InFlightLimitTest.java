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
package io.dstl.fs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.batch.LimitListener;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.io.AvailabilityProvider;
import org.junit.jupiter.api.Test;

class InFlightLimitTest {

    private final InFlightLimit limit = new InFlightLimit(100, LimitListener.NONE);

    @Test
    void isAvailableUpToTheLimit() {
        limit.add(100);
        assertThat(limit.getAvailableFuture()).isSameAs(AvailabilityProvider.AVAILABLE);

        limit.add(1);
        CompletableFuture<?> available = limit.getAvailableFuture();
        assertThat(available).isNotDone();
        limit.add(50);
        assertThat(limit.getAvailableFuture()).isSameAs(available);

        limit.remove(51);
        assertThat(available).isCompleted();
        assertThat(limit.getAvailableFuture()).isSameAs(AvailabilityProvider.AVAILABLE);
    }

    @Test
    void refusesToGoBelowZero() {
        limit.add(5);

        assertThatThrownBy(() -> limit.remove(6))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("6 bytes");
    }
}
