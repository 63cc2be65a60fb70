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
package io.dstl.fs.store;

import io.dstl.registry.SegmentDeleter;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Deletes what the registry gives it from the store, with as few requests as that takes. */
public final class StoreDeleter implements SegmentDeleter {

    private final SegmentDeletion store;

    public StoreDeleter(SegmentDeletion store) {
        this.store = store;
    }

    @Override
    public int batchSize() {
        return store.deletionBatch();
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        store.delete(segment);
    }

    @Override
    public Map<StreamStateHandle, IOException> deleteAll(Collection<StreamStateHandle> segments) {
        return store.deleteAll(segments).failures();
    }
}
