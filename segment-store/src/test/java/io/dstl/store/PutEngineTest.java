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
package io.dstl.store;

import io.dstl.store.testing.CountedNames;
import io.dstl.store.testing.SegmentStoreContract;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/** The engine keeps the contract of the store that it puts to. */
class PutEngineTest extends SegmentStoreContract {

    @Override
    protected SegmentStore create(Path base, Executor uploads) throws IOException {
        ManualTimer timer = new ManualTimer();
        RetrySettings once = new RetrySettings(1, Optional.empty(), Duration.ZERO);
        return new PutEngine(
                new FileSystemSegmentStoreTest().create(base, uploads),
                PutRules.of(once, Long.MAX_VALUE, () -> 0.5, timer::nanos, PutObserver.NONE),
                timer,
                new CountedNames("attempt-"),
                Runnable::run,
                PutObserver.NONE);
    }
}
