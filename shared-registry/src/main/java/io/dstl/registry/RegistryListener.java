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

import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Hears what becomes of segments, for metrics.
 *
 * <p><b>Threading.</b> Called on the thread that made the change ({@link #deleted} and {@link
 * #deleteFailed}: a deletion thread), outside the registry's lock, so possibly by several threads
 * at a time and in another order than the changes were made in. Implementations are thread-safe,
 * return at once and do not throw.
 */
public interface RegistryListener {

    /** A segment has been stored and is tracked from now on. */
    default void registered(StreamStateHandle segment) {}

    /** The JobManager answers for this segment from now on. */
    default void handedOver(StreamStateHandle segment) {}

    /** An object is gone from the store. */
    default void deleted(StreamStateHandle segment) {}

    /** An object could not be deleted and stays in the store. */
    default void deleteFailed(StreamStateHandle segment, Throwable cause) {}

    /** A segment stays in the store as a checkpoint may refer to it; nobody may answer for it. */
    default void leftBehind(StreamStateHandle segment) {}

    /** Hears nothing. */
    static RegistryListener none() {
        return new RegistryListener() {};
    }
}
