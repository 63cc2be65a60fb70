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
import org.junit.jupiter.api.Test;

class ProcessStartTest {
    private static final AtomicInteger STARTED = new AtomicInteger();

    /** Found as a service; fails, which does not keep a storage from being made. */
    public static final class Heard implements ProcessStart {
        @Override
        public void started() {
            STARTED.incrementAndGet();
            throw new IllegalStateException("after it has counted");
        }
    }

    @Test
    void isToldOnceHoweverManyStoragesAreLoaded() {
        new DstlStorageFactory();
        new DstlStorageFactory();

        assertThat(STARTED).hasValue(1);
    }
}
