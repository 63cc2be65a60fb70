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
package io.dstl.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.junit.jupiter.api.Test;

class ProcessListenersTest {
    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final AtomicInteger ARRIVED = new AtomicInteger();

    /** Found as a service; fails, which does not keep a storage from being made. */
    public static final class Heard implements ProcessListener {
        @Override
        public void started() {
            STARTED.incrementAndGet();
            throw new NoClassDefFoundError("of a test");
        }

        @Override
        public void jobArrives() {
            ARRIVED.incrementAndGet();
            throw new IllegalStateException("of a test");
        }
    }

    @Test
    void hearOnceOfTheStart() {
        new DstlStorageFactory();
        new DstlStorageFactory();

        assertThat(STARTED).hasValue(1);
    }

    @Test
    void hearOfEachStorage() throws Exception {
        int before = ARRIVED.get();
        try (StateChangelogStorageView<?> view =
                new DstlStorageFactory().createStorageView(new Configuration())) {
            assertThat(ARRIVED).hasValue(before + 1);
            assertThat(view).isNotNull();
        }
    }
}
