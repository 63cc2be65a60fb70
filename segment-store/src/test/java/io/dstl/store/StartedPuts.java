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

import io.dstl.store.SegmentStore.SegmentContent;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Puts under names of the test's choice, and whether they have ended. */
final class StartedPuts {

    private final Map<CompletableFuture<FileStateHandle>, PutRace> races = new HashMap<>();

    CompletableFuture<FileStateHandle> put(
            PutContext context, String name, SegmentContent content) {
        PutRace race = new PutRace(context, name, content);
        CompletableFuture<FileStateHandle> put = race.start();
        races.put(put, race);
        return put;
    }

    /** Of one byte. */
    CompletableFuture<FileStateHandle> put(PutContext context, String name) {
        return put(context, name, out -> out.write(1));
    }

    /** Whether it is done, and none of its requests is under way or waits. */
    boolean hasEnded(CompletableFuture<FileStateHandle> put) {
        return put.isDone()
                && races.get(put).state().requests(true).stream().allMatch(StoreRequest::hasEnded);
    }
}
