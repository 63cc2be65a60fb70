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
 * How one stored object is deleted. Whether it may be is the {@link SegmentRegistry}'s to say.
 *
 * <p><b>Threading.</b> Called on the deletion threads; with more than one of them, for several
 * objects at a time, so implementations are thread-safe. May block.
 *
 * <p><b>Idempotence.</b> Deleting an object that is gone succeeds: the JobManager may delete the
 * same one.
 *
 * <p><b>Failure.</b> Anything thrown leaves the object in place; the {@link DeletionQueue} tries
 * again.
 */
@FunctionalInterface
public interface SegmentDeleter {

    void delete(StreamStateHandle segment) throws Exception;

    /** Deletes through the handle itself, which is what the JobManager does. */
    static SegmentDeleter throughHandle() {
        return StreamStateHandle::discardState;
    }
}
