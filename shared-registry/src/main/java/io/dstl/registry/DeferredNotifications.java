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

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Collects what a call to the {@link SegmentRegistry} decides under its lock and runs it after the
 * lock is released, so that no listener and no deletion runs under the lock.
 */
final class DeferredNotifications {

    private final List<StreamStateHandle> handedOver = new ArrayList<>();
    private final List<StreamStateHandle> leftBehind = new ArrayList<>();
    private final List<StreamStateHandle> doomed = new ArrayList<>();

    void handOver(TrackedSegment segment) {
        handedOver.add(segment.handle());
    }

    void leaveBehind(TrackedSegment segment) {
        leftBehind.add(segment.handle());
    }

    void delete(TrackedSegment segment) {
        doomed.add(segment.handle());
    }

    int countLeftBehind() {
        return leftBehind.size();
    }

    long bytesLeftBehind() {
        return leftBehind.stream().mapToLong(StreamStateHandle::getStateSize).sum();
    }

    void send(DeletionQueue deletions, RegistryListener listener) {
        handedOver.forEach(listener::handedOver);
        leftBehind.forEach(listener::leftBehind);
        doomed.forEach(deletions::delete);
    }
}
