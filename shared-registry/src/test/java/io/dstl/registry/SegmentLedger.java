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
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Makes handles of segments, and writes down what the registry says of them. */
final class SegmentLedger implements RegistryListener {

    static final long SEGMENT_BYTES = 100;

    final List<StreamStateHandle> registered = new ArrayList<>();
    final List<StreamStateHandle> handedOver = new ArrayList<>();
    final List<StreamStateHandle> deleted = new ArrayList<>();
    final List<StreamStateHandle> leftBehind = new ArrayList<>();
    final List<StreamStateHandle> deleteFailed = new ArrayList<>();
    final List<Throwable> causes = new ArrayList<>();

    /** Another object at each call; equal to those of the same name. */
    static StreamStateHandle segment(String name) {
        return new FileStateHandle(new Path("/bucket/" + name), SEGMENT_BYTES);
    }

    @Override
    public void registered(StreamStateHandle segment) {
        registered.add(segment);
    }

    @Override
    public void handedOver(StreamStateHandle segment) {
        handedOver.add(segment);
    }

    @Override
    public void deleted(StreamStateHandle segment) {
        deleted.add(segment);
    }

    @Override
    public void deleteFailed(StreamStateHandle segment, Throwable cause) {
        deleteFailed.add(segment);
        causes.add(cause);
    }

    @Override
    public void leftBehind(StreamStateHandle segment) {
        leftBehind.add(segment);
    }
}
