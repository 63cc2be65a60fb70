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
package io.dstl.tools.verify;

import io.dstl.tools.checkpoint.CheckpointWalk;
import io.dstl.tools.checkpoint.StateOwner;
import io.dstl.tools.checkpoint.StateReference;
import io.dstl.tools.checkpoint.StateVisitor;
import io.dstl.tools.cli.Tally;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;

/**
 * All objects that some checkpoints need, each of them once.
 *
 * <p>Held in memory: a few hundred bytes an object, and about 50 a use of it.
 */
final class NeededObjects {
    private final Map<String, StoredObject> objects = new LinkedHashMap<>();
    private final Tally inMetadata = new Tally();

    /**
     * @throws IOException at a handle of an unknown kind
     */
    void add(VerifiedCheckpoint checkpoint, CheckpointMetadata metadata) throws IOException {
        CheckpointWalk.walk(
                metadata,
                new StateVisitor() {
                    @Override
                    public void stream(StateReference reference) {
                        if (reference.file().isPresent()) {
                            add(checkpoint, reference.file().get(), reference);
                        } else {
                            inMetadata.add(reference.handle().getStateSize());
                        }
                    }

                    @Override
                    public void logInMemory(StateOwner owner, InMemoryChangelogStateHandle log) {
                        inMetadata.add(log.getStateSize());
                    }
                });
    }

    private void add(VerifiedCheckpoint checkpoint, Path path, StateReference reference) {
        objects.computeIfAbsent(
                        StoredObject.key(path, reference), key -> new StoredObject(path, reference))
                .add(checkpoint, reference);
    }

    /** In the order of the metadata. */
    Collection<StoredObject> all() {
        return objects.values();
    }

    /** What is in the metadata itself: it has been read, and needs no object. */
    Tally inMetadata() {
        return inMetadata;
    }
}
