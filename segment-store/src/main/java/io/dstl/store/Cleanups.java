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

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What deletes the objects that lost requests store, or may have stored: a request may be carried
 * out long after its storage has been closed, so this takes work until then. Immutable.
 */
public final class Cleanups {
    final Executor executor;
    final ScheduledExecutorService timer;

    /**
     * @param executor makes the requests
     * @param timer keeps the pauses; does not block
     */
    public Cleanups(Executor executor, ScheduledExecutorService timer) {
        this.executor = requireNonNull(executor);
        this.timer = requireNonNull(timer);
    }
}
